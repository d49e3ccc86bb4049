import type { Config } from '../../config.ts';
import { DEFAULT_TASK_QUEUE } from '../../config.ts';
import { PAUSE_POLICY } from '../../domain/health.ts';
import { POSTCARD_PACE } from '../../domain/postcard-pace.ts';
import { RETRY_SCHEDULE } from '../../domain/retry-schedule.ts';
import { readableDuration } from '../../mail/wording.ts';
import { join } from 'node:path';

/** What a scenario makes shorter or smaller than it is in earnest. */
export type DemoSettings = Partial<
  Pick<Config, 'deliveryTimeoutMs' | 'pausePolicy' | 'postcardPace'> & {
    /** Events of each type that an account gets in one rescore. */
    rescoreCap: number;
  }
>;

const SECONDS = [1_000, 2_000, 3_000, 4_000, 5_000];

/**
 * The configuration of a demo: everything on this machine, on data of its own below the configured
 * directory, so that neither the databases nor the mail server of somebody's service is touched.
 */
export function demoConfig(config: Config, settings: DemoSettings): Config {
  const { rescoreCap = config.rescore.cap, ...others } = settings;
  return Object.freeze({
    ...config,
    production: false,
    dataDir: join(config.dataDir, 'demo'),
    ...{ databaseUrl: undefined, temporalAddress: undefined, secretKey: undefined },
    ...{ temporalNamespace: 'default', taskQueue: DEFAULT_TASK_QUEUE },
    ...{ host: '127.0.0.1', port: undefined, metricsPort: undefined, receiverPort: undefined },
    ...{ publicUrl: undefined, smtpUrl: undefined, devEndpointOrigins: [] },
    retrySchedule: SECONDS,
    rescore: { ...config.rescore, cap: rescoreCap },
    ...others,
  });
}

/** What is shortened, one line each, beside what it is in earnest (spec §8). */
export function describeSettings(settings: DemoSettings): string[] {
  const { deliveryTimeoutMs, pausePolicy, postcardPace, rescoreCap } = settings;
  const lines = [`retries after ${listed(SECONDS)} (in earnest ${listed(RETRY_SCHEDULE)})`];
  if (deliveryTimeoutMs !== undefined) {
    lines.push(`a receiver has ${readableDuration(deliveryTimeoutMs)} to answer (10 seconds)`);
  }
  if (pausePolicy) {
    const { pauseAfterMs, warnBeforeMs } = pausePolicy;
    const real = PAUSE_POLICY;
    lines.push(
      `an endpoint is paused after ${readableDuration(pauseAfterMs)} of failures (${readableDuration(real.pauseAfterMs)}),`,
      `  its owner is warned ${readableDuration(warnBeforeMs)} before that (${readableDuration(real.warnBeforeMs)})`,
    );
  }
  if (postcardPace) {
    const { productionMs, deliveryMs } = postcardPace;
    lines.push(
      `postcards are ${readableDuration(productionMs)} in production (${readableDuration(POSTCARD_PACE.productionMs)}),`,
      `  then ${readableDuration(deliveryMs)} in the post (${readableDuration(POSTCARD_PACE.deliveryMs)})`,
    );
  }
  if (rescoreCap !== undefined) {
    lines.push(`an account gets ${rescoreCap} events of a type in a rescore at the most (200)`);
  }
  return lines;
}

/** `1 min, 5 min, 2 h`; from milliseconds. */
function listed(durations: readonly number[]): string {
  return durations
    .map((milliseconds) =>
      readableDuration(milliseconds)
        .replace(/ minutes?/, ' min')
        .replace(/ hours?/, ' h')
        .replace(/ seconds?/, ' s'),
    )
    .join(', ');
}
