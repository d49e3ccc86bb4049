import { serve } from '@hono/node-server';
import type { Hono } from 'hono';
import { unavailable } from '../errors.ts';
import type { ApiEnv } from './on-error.ts';
import { refuseMalformed } from './refuse-malformed.ts';

export interface HttpServer {
  port: number;
  close(): Promise<void>;
}

/** Serves the app; a port that is taken is `unavailable` with what to do. */
export function serveApi(app: Hono<ApiEnv>, host: string, port: number): Promise<HttpServer> {
  return new Promise((resolve, reject) => {
    // The app itself asks for a Host header, since Node's refusal has no body.
    const serverOptions = { requireHostHeader: false };
    const server = serve({ fetch: app.fetch, hostname: host, port, serverOptions }, (info) =>
      resolve({
        port: info.port,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            if ('closeIdleConnections' in server) server.closeIdleConnections();
          }),
      }),
    );
    server.on('clientError', refuseMalformed);
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? unavailable(
              `Port ${port} on ${host} is taken; set PORT to another, or 0 for a free one.`,
            )
          : error,
      );
    });
  });
}
