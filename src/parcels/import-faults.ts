import { AppError, type Fault } from '../errors.ts';
import { LineRanges } from './line-ranges.ts';

/** Of how many bad rows every fault is told in the message; the lines of the others are named. */
export const TOLD_ROWS = 100;

/** How many faults are kept, for programs; those beyond are only counted. */
export const KEPT_FAULTS = 10_000;

/** What all there is to know about a file that was refused. */
interface Refusal {
  /** The first of them, in the order of the file; `field` is null when it is the row as a whole. */
  faults: readonly Fault[];
  /** How many rows are bad. */
  badRows: number;
  /** The rows of which the message tells every fault have lines up to this one. */
  toldUpTo: number;
  /** Where the other bad rows begin. */
  otherLines: LineRanges;
}

/** A file that was refused as a whole, with what to mend. */
export class ImportRefused extends AppError {
  readonly badRows: number;

  constructor(refusal: Refusal) {
    super('bad_request', textOf(refusal), { field: 'file', faults: refusal.faults });
    this.badRows = refusal.badRows;
  }
}

/** Collects the faults of a file, in the order of its lines; what it keeps of them is limited. */
export class FaultList {
  readonly #faults: Fault[] = [];
  readonly #otherLines = new LineRanges();
  #badRows = 0;
  #toldUpTo = 0;

  /** Counts the bad row that begins on a line. */
  addRow(line: number, faults: readonly Omit<Fault, 'line'>[]): void {
    this.#badRows += 1;
    const room = KEPT_FAULTS - this.#faults.length;
    this.#faults.push(...faults.slice(0, room).map((fault) => ({ line, ...fault })));
    if (this.#badRows <= TOLD_ROWS) this.#toldUpTo = line;
    else this.#otherLines.add(line);
  }

  /** Throws ImportRefused when there is any. */
  refuse(): void {
    if (this.#badRows === 0) return;
    throw new ImportRefused({
      ...{ faults: this.#faults, badRows: this.#badRows },
      ...{ toldUpTo: this.#toldUpTo, otherLines: this.#otherLines },
    });
  }
}

function textOf({ faults, badRows, toldUpTo, otherLines }: Refusal): string {
  const rows = badRows === 1 ? '1 bad row' : `${badRows} bad rows`;
  const told = faults.filter(({ line }) => line <= toldUpTo);
  const lines = told.map(({ line, field, message }) =>
    field === null ? `  line ${line}: ${message}` : `  line ${line}, ${field}: ${message}`,
  );
  const others = otherLines.isEmpty ? [] : [`  and lines ${otherLines.toString()}`];
  return [`Nothing was imported: ${rows}.`, ...lines, ...others].join('\n');
}
