import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { unavailable } from '../errors.ts';
import type { ApiEnv } from './on-error.ts';
import {
  refuseExpectation,
  refuseMalformed,
  refuseTarget,
  refuseTunnel,
} from './refuse-malformed.ts';

export interface HttpServer {
  port: number;
  close(): Promise<void>;
}

/** Serves the app; a port that is taken is `unavailable` with what to do. */
export function serveApi(app: Hono<ApiEnv>, host: string, port: number): Promise<HttpServer> {
  // The app itself asks for a Host header, since Node's refusal has no body. What the app throws it
  // has answered itself: what is left is a URL that cannot be made out.
  const listener = getRequestListener(app.fetch, { hostname: host, errorHandler: refuseTarget });
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    void listener(request, response);
  });
  server.on('clientError', refuseMalformed);
  server.on('connect', refuseTunnel);
  server.on('checkExpectation', refuseExpectation);
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? unavailable(
              `Port ${port} on ${host} is taken; set PORT to another, or 0 for a free one.`,
            )
          : error,
      );
    });
    server.listen(port, host, () =>
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeIdleConnections();
          }),
      }),
    );
  });
}
