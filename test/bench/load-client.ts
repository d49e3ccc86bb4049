import { Pool } from 'undici';
import type { Load, LoadResult } from './load.ts';

/*
 * A client in a process of its own: so many connections, each with its next request as soon as the
 * answer to the last is read.
 */
process.on('message', (load: Load) => {
  void run(load).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.send?.({ kind: 'ready' });

async function run({ origin, paths, keys, connections, requests }: Load): Promise<LoadResult> {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const samples: number[] = [];
  const statuses: Record<number, number> = {};
  let sent = 0;
  const one = async (): Promise<void> => {
    while (sent < requests) {
      const i = sent;
      sent += 1;
      const key = keys[i % keys.length] ?? '';
      const path = paths[i % paths.length] ?? '/';
      const headers = { authorization: `Bearer ${key}` };
      const startedAt = performance.now();
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
      await body.arrayBuffer();
      samples.push(performance.now() - startedAt);
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, one));
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.close();
  return { kind: 'result', samples, seconds, statuses };
}
