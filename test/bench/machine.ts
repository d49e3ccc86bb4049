import { cpus, totalmem } from 'node:os';

/** What the figures were measured on, in one line. */
export function machine(): string {
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${gibibytes} GiB, Node ${process.version}`;
}
