import { pino, type DestinationStream, type Logger } from 'pino';

/** Field names whose values never reach a log: keys, secrets and people's contacts. */
const REDACTED = [
  'authorization',
  'body',
  'buyer_email',
  'buyer_phone',
  'databaseUrl',
  'email',
  'emails',
  'password',
  'payload',
  'phone',
  'phones',
  'sealedSecret',
  'secret',
  'secretKey',
  'url',
];

/** Makes the one logger of a process; `destination` defaults to standard error as JSON lines. */
export function createLog(
  level: string,
  destination: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Logger {
  const paths = REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  return pino(
    {
      level,
      base: null,
      redact: { paths, censor: '[redacted]' },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
  );
}

export type { Logger };
