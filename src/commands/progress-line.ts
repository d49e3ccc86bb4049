/** A line on standard error that is written over as work goes on; see {@link createProgressLine}. */
export interface ProgressLine {
  /** Shows how far the work is, 0 to 1, with a few words before and after the bar. */
  show(before: string, fraction: number, after: string): void;
  /** Takes the line away. */
  clear(): void;
}

const WIDTH = 24;
const EVERY_MS = 100;

/** A progress bar for a person who waits; silent when standard error is no terminal. */
export function createProgressLine(
  out: Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean } = process.stderr,
): ProgressLine {
  if (!out.isTTY) return { show: () => undefined, clear: () => undefined };
  let shownAt = -Infinity;
  return {
    show(before, fraction, after) {
      if (performance.now() - shownAt < EVERY_MS && fraction < 1) return;
      shownAt = performance.now();
      const done = Math.round(Math.max(0, Math.min(1, fraction)) * WIDTH);
      const bar = '█'.repeat(done) + '░'.repeat(WIDTH - done);
      out.write(`\r${before.padEnd(8)} ${bar} ${after}\x1b[K`);
    },
    clear() {
      if (shownAt > 0) out.write('\r\x1b[K');
    },
  };
}
