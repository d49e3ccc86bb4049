import { createKey } from '../../api-keys/create-key.ts';
import { revokeKey } from '../../api-keys/revoke-key.ts';
import { expectSeen } from './not-seen.ts';
import type { Stage } from './stage.ts';

/** Asks the Read API by HTTP, as a customer would; answers the body of a 200. */
export type Get = (path: string) => Promise<unknown>;

/** Reads with a fresh key, which is revoked afterwards: nobody gets to see it. */
export async function withReadApi<T>(stage: Stage, read: (get: Get) => Promise<T>): Promise<T> {
  const { context, accountId, apiUrl, signal, narrator } = stage;
  const { key, id: keyId } = await createKey(context, { accountId, name: 'Demo' });
  try {
    return await read(async (path) => {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${apiUrl}${path}`, { headers, signal });
      narrator.fact('GET', `${apiUrl}${path} → ${response.status}`, { status: response.status });
      expectSeen(response.status === 200, `a 200 of GET ${path} (it was ${response.status}).`);
      return response.json();
    });
  } finally {
    await revokeKey(context, { accountId, keyId });
  }
}
