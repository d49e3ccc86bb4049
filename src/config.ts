import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { DURATION_FORMAT, parseDuration } from './domain/duration.ts';
import { PAUSE_POLICY } from './domain/health.ts';
import { POSTCARD_PACE } from './domain/postcard-pace.ts';
import { RETRY_SCHEDULE } from './domain/retry-schedule.ts';
import { badRequest } from './errors.ts';
import { parseSmtpUrl, SMTP_URL_FORMAT } from './mail/smtp-url.ts';

const DAY_MS = 86_400_000;

const durationWithin = (leastMs: number, mostMs: number, limits: string) =>
  z.string().transform((text, context) => {
    const milliseconds = parseDuration(text);
    if (milliseconds !== undefined && milliseconds >= leastMs && milliseconds <= mostMs) {
      return milliseconds;
    }
    context.addIssue({ code: 'custom', message: `must be ${DURATION_FORMAT}, ${limits}` });
    return z.NEVER;
  });

const duration = durationWithin(1, 14 * DAY_MS, 'above 0 and at most 14d');

const commaList = z
  .string()
  .transform((text) => text.split(',').flatMap((item) => (item.trim() ? [item.trim()] : [])));

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number, 0 to 65535 (0 takes a free one)')
  .transform(Number)
  .refine((value) => value <= 65_535, 'must be a port number, 0 to 65535');

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be from ${least} to ${most}`);

const httpUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:\/\/[^@?#]+$/.test(text), {
    message: 'must be an http or https URL without user name, query and fragment',
  })
  .transform((text) => text.replace(/\/+$/, ''));

/** `ip`, `ip:port` or `[ip]:port`. */
function isNameServer(text: string): boolean {
  if (isIP(text)) return true;
  const [, address = '', digits = ''] = /^\[?([^\]]+)\]?:(\d{1,5})$/.exec(text) ?? [];
  return isIP(address) !== 0 && Number(digits) <= 65_535;
}

const devOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text;

/** A 32-byte key, as 64 hexadecimal digits or as base64. */
const secretKey = z.string().transform((text, context) => {
  const bytes = /^[0-9a-f]{64}$/i.test(text)
    ? Buffer.from(text, 'hex')
    : Buffer.from(text, 'base64');
  if (bytes.length === 32) return bytes;
  context.addIssue({
    code: 'custom',
    message: 'must be 32 bytes, as 64 hexadecimal digits or base64 (openssl rand -hex 32)',
  });
  return z.NEVER;
});

const defaultCacheDir = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'lead-events',
);

/** The queue by which Temporal hands work to our workers, unless told otherwise. */
export const DEFAULT_TASK_QUEUE = 'lead-events';

const environment = z.object({
  NODE_ENV: z.string().default('development'),
  DATA_DIR: z
    .string()
    .default('.data')
    .transform((path) => resolve(path)),
  CACHE_DIR: z
    .string()
    .default(defaultCacheDir)
    .transform((path) => resolve(path)),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.optional(),
  METRICS_PORT: port.optional(),
  PUBLIC_URL: httpUrl.optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
    .optional(),
  DATABASE_POOL: wholeNumber(1, 200).default(20),
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port, such as 127.0.0.1:7233')
    .refine((text) => Number(text.split(':').at(-1)) <= 65_535, 'has no such port')
    .optional(),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  TEMPORAL_TASK_QUEUE: z.string().min(1).default(DEFAULT_TASK_QUEUE),
  SECRET_KEY: secretKey.optional(),
  SERVICE_NAME: z.string().min(1).max(60).default('Lead Events'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  RETRY_SCHEDULE: commaList.pipe(z.array(duration).min(1).max(20)).default([...RETRY_SCHEDULE]),
  DELIVERY_TIMEOUT: duration.default(10_000),
  AUTO_PAUSE_AFTER: duration.default(PAUSE_POLICY.pauseAfterMs),
  AUTO_PAUSE_WARNING: duration.optional(),
  IN_FLIGHT_PER_ENDPOINT: wholeNumber(1, 1000).default(20),
  LOG_RETENTION: durationWithin(1_000, 3650 * DAY_MS, 'at least 1s and at most 3650d').default(
    30 * DAY_MS,
  ),
  POSTCARD_PRODUCTION: durationWithin(1, 90 * DAY_MS, 'above 0 and at most 90d').default(
    POSTCARD_PACE.productionMs,
  ),
  POSTCARD_DELIVERY: durationWithin(1, 90 * DAY_MS, 'above 0 and at most 90d').default(
    POSTCARD_PACE.deliveryMs,
  ),
  RESCORE_CAP: wholeNumber(0, 1_000_000).default(200),
  RESCORE_BACKLOG: wholeNumber(0, 100_000_000).default(10_000),
  RESCORE_BATCH: wholeNumber(1, 10_000).default(2_000),
  DEV_ENDPOINT_ORIGINS: commaList
    .pipe(
      z.array(z.string().refine(devOrigin, 'must be exact origins, such as http://127.0.0.1:9000')),
    )
    .default([]),
  DNS_SERVERS: commaList
    .pipe(z.array(z.string().refine(isNameServer, 'must be addresses, ip or ip:port')))
    .default([]),
  RECEIVER_PORT: port.optional(),
  SMTP_URL: z
    .string()
    .refine((text) => parseSmtpUrl(text) !== undefined, `must be ${SMTP_URL_FORMAT}`)
    .optional(),
  MAIL_FROM: z.email('must be an email address').max(254).optional(),
});

/** The environment variables that are read. */
export const CONFIG_VARIABLES: readonly string[] = Object.keys(environment.shape);

/** Where the API, the operations server and the demo receiver listen unless told otherwise. */
export const DEFAULT_PORT = 8080;
export const DEFAULT_METRICS_PORT = 9464;
export const DEFAULT_RECEIVER_PORT = 9000;

/** Where the API is by itself, for links of processes that know no public address. */
export function localUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  return `http://${host}:${port ?? DEFAULT_PORT}`;
}

/** Everything the environment decides, validated once and frozen. Durations are milliseconds. */
export type Config = Readonly<ReturnType<typeof fromEnvironment>>;

function fromEnvironment(env: z.output<typeof environment>) {
  return {
    production: env.NODE_ENV === 'production',
    dataDir: env.DATA_DIR,
    cacheDir: env.CACHE_DIR,
    host: env.HOST,
    port: env.PORT,
    metricsPort: env.METRICS_PORT,
    publicUrl: env.PUBLIC_URL,
    databaseUrl: env.DATABASE_URL,
    databasePool: env.DATABASE_POOL,
    temporalAddress: env.TEMPORAL_ADDRESS,
    temporalNamespace: env.TEMPORAL_NAMESPACE,
    taskQueue: env.TEMPORAL_TASK_QUEUE,
    secretKey: env.SECRET_KEY,
    serviceName: env.SERVICE_NAME,
    logLevel: env.LOG_LEVEL,
    retrySchedule: env.RETRY_SCHEDULE,
    deliveryTimeoutMs: env.DELIVERY_TIMEOUT,
    pausePolicy: {
      pauseAfterMs: env.AUTO_PAUSE_AFTER,
      warnBeforeMs:
        env.AUTO_PAUSE_WARNING ??
        // The spec's times keep their proportion when only the longer one is shortened.
        Math.min(PAUSE_POLICY.warnBeforeMs, Math.round(env.AUTO_PAUSE_AFTER / 3)),
    },
    inFlightPerEndpoint: env.IN_FLIGHT_PER_ENDPOINT,
    logRetentionMs: env.LOG_RETENTION,
    postcardPace: { productionMs: env.POSTCARD_PRODUCTION, deliveryMs: env.POSTCARD_DELIVERY },
    rescore: {
      cap: env.RESCORE_CAP,
      backlog: env.RESCORE_BACKLOG,
      batch: env.RESCORE_BATCH,
    },
    devEndpointOrigins: env.DEV_ENDPOINT_ORIGINS,
    dnsServers: env.DNS_SERVERS,
    receiverPort: env.RECEIVER_PORT,
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM,
  };
}

/**
 * Reads the configuration from environment variables. Every fault is listed at once, by the name
 * of its variable, in one `bad_request`; the values themselves are not repeated, since one of them
 * is a key.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  // An empty variable is how shells and compose files spell "not set".
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(present);
  const faults = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path[0]?.toString() ?? ''}: ${issue.message}`);
  if (present['NODE_ENV'] === 'production' && present['DEV_ENDPOINT_ORIGINS']) {
    faults.push(
      'DEV_ENDPOINT_ORIGINS: is for development only, remove it under NODE_ENV=production',
    );
  }
  if (parsed.success && (parsed.data.AUTO_PAUSE_WARNING ?? 0) >= parsed.data.AUTO_PAUSE_AFTER) {
    faults.push('AUTO_PAUSE_WARNING: must be shorter than AUTO_PAUSE_AFTER');
  }
  if (present['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    faults.push('NODE_TLS_REJECT_UNAUTHORIZED: 0 switches certificate checks off, remove it');
  }
  if (!parsed.success || faults.length > 0) {
    throw badRequest(
      'environment',
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults
        .map((fault) => `  ${fault}`)
        .join('\n')}`,
    );
  }
  return Object.freeze(fromEnvironment(parsed.data));
}
