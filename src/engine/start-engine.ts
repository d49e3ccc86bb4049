import type { Engine, EngineOptions } from './engine-options.ts';
import { openInstance } from './open-instance.ts';
import { startPostgres, type PostgresServer } from './postgres-server.ts';
import { temporalExecutable } from './temporal-executable.ts';
import { startTemporal, type TemporalServer } from './temporal-server.ts';
import { together } from './together.ts';

/**
 * Brings up what is not given: PostgreSQL and a Temporal dev server on a data directory, which it
 * holds until `stop`. Throws `conflict` when another instance holds it, `unavailable` when something
 * cannot be had (the message says what to do), and the signal's reason when aborted; then nothing
 * is left running.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { databaseUrl, temporalAddress } = options;
  const embedded = { postgres: !databaseUrl, temporal: !temporalAddress };
  if (databaseUrl && temporalAddress) {
    const stop = async (): Promise<void> => undefined;
    return { databaseUrl, temporalAddress, temporalUiUrl: null, embedded, stop };
  }
  const { instance, context } = await openInstance(options, 'service');
  const ports = instance.previous?.ports ?? {};
  const up: { postgres?: PostgresServer; temporal?: TemporalServer } = {};
  const end = async (): Promise<void> => {
    instance.update({ state: 'stopping' });
    await up.temporal?.stop();
    await up.postgres?.stop();
    instance.release();
  };
  try {
    instance.update({ databaseUrl: databaseUrl ?? null, temporalAddress: temporalAddress ?? null });
    const bringUpPostgres = async (signal: AbortSignal): Promise<void> => {
      up.postgres = await startPostgres({ ...context, signal }, ports.postgres);
      // Commands need no more than this, and Temporal can take minutes the first time.
      instance.update({ databaseUrl: up.postgres.databaseUrl });
    };
    const bringUpTemporal = async (signal: AbortSignal): Promise<void> => {
      const executable = await temporalExecutable({ ...context, signal }, options.cacheDir);
      const how = options.temporal ?? {};
      up.temporal = await startTemporal({ ...context, signal }, executable, ports, how);
    };
    await together(context.signal, [
      ...(embedded.postgres ? [bringUpPostgres] : []),
      ...(embedded.temporal ? [bringUpTemporal] : []),
    ]);
  } catch (error) {
    await end();
    throw error;
  }
  const urls = {
    databaseUrl: databaseUrl || (up.postgres as PostgresServer).databaseUrl,
    temporalAddress: temporalAddress || (up.temporal as TemporalServer).temporalAddress,
    temporalUiUrl: up.temporal?.temporalUiUrl ?? null,
  };
  const inUse = { ...(up.postgres && { postgres: up.postgres.port }), ...up.temporal?.ports };
  instance.update({ state: 'running', ports: { ...ports, ...inUse }, ...urls });
  let stopped: Promise<void> | undefined;
  return { ...urls, embedded, stop: async () => await (stopped ??= end()) };
}
