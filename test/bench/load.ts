import { startChild } from './child.ts';

/** Requests for a client to make, over so many connections at once; paths and keys take turns. */
export interface Load {
  origin: string;
  paths: string[];
  keys: string[];
  connections: number;
  requests: number;
  /** What every answer has to be; 200 unless told. */
  status?: number;
}

/** What came of them: how long each took in milliseconds, and how many answers of each status. */
export interface LoadResult {
  kind: 'result';
  samples: number[];
  seconds: number;
  statuses: Record<number, number>;
}

export interface LoadClient {
  /** Makes the requests; an answer of another status is an error. */
  run(load: Load): Promise<LoadResult>;
  stop(): Promise<void>;
}

/** Starts the client in a process of its own, so that the server's time is the server's. */
export async function startLoadClient(): Promise<LoadClient> {
  const child = startChild<Load, LoadResult | { kind: 'ready' }>('./load-client.ts', []);
  await child.next('ready');
  return {
    async run(load) {
      child.tell(load);
      const result = await child.next('result');
      if (result.statuses[load.status ?? 200] !== load.requests) {
        throw new Error(`${load.paths[0]}: answers ${JSON.stringify(result.statuses)}`);
      }
      return result;
    },
    stop: child.stop,
  };
}
