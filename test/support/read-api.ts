import { createKey } from '../../src/api-keys/create-key.ts';
import { createApi } from '../../src/api/app.ts';
import { serveApi } from '../../src/api/serve.ts';
import { createLog, type Logger } from '../../src/log.ts';
import { appUrls } from '../../src/urls.ts';
import { PUBLIC_URL } from './config.ts';
import type { TestRecords } from './records.ts';

/** The HTTP server on a test's database, asked over a real socket. */
export interface TestApi {
  url: string;
  /** A new key of this account. */
  newKey(accountId: string): Promise<string>;
  /** Asks with a key; answers the response with its JSON. */
  get<T = Record<string, unknown>>(
    path: string,
    key?: string,
  ): Promise<{ status: number; headers: Headers; json: T }>;
  close(): Promise<void>;
}

export async function startTestApi(
  records: TestRecords,
  log: Logger = createLog('silent'),
): Promise<TestApi> {
  const { db, database } = records;
  const app = createApi({
    ...{ log, db, ping: () => database.sql`select 1` },
    style: { serviceName: 'Lead Events', urls: appUrls(PUBLIC_URL) },
  });
  const server = await serveApi(app, '127.0.0.1', 0);
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    newKey: async (accountId) =>
      (await createKey({ db, actor: 'test' }, { accountId, name: 'test' })).key,
    async get<T>(path: string, key?: string) {
      const response = await fetch(url + path, {
        headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      });
      const { status, headers } = response;
      return { status, headers, json: (await response.json()) as T };
    },
    close: server.close,
  };
}
