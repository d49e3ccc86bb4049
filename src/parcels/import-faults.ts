import { AppError } from '../errors.ts';

/** What is wrong with a file, and where. */
export interface ImportFault {
  line: number;
  /** Null when it is the row as a whole. */
  column: string | null;
  message: string;
}

/** How many faults are shown; the others are only counted. */
export const SHOWN_FAULTS = 100;

/** A file that was refused as a whole, with what to mend. */
export class ImportRefused extends AppError {
  /** The first of them, in the order of the file. */
  readonly faults: readonly ImportFault[];
  /** How many rows are bad. */
  readonly badRows: number;

  constructor(faults: readonly ImportFault[], badRows: number) {
    super('bad_request', textOf(faults, badRows), { field: 'file' });
    this.faults = faults;
    this.badRows = badRows;
  }
}

/** Collects the faults of a file. */
export class FaultList {
  readonly shown: ImportFault[] = [];
  badRows = 0;

  /** Counts a bad row; as many of its faults as there is room for are kept. */
  addRow(line: number, faults: readonly Omit<ImportFault, 'line'>[]): void {
    this.badRows += 1;
    for (const fault of faults) {
      if (this.shown.length < SHOWN_FAULTS) this.shown.push({ line, ...fault });
    }
  }

  /** Throws ImportRefused when there is any. */
  refuse(): void {
    if (this.badRows > 0) throw new ImportRefused(this.shown, this.badRows);
  }
}

function textOf(faults: readonly ImportFault[], badRows: number): string {
  const rows = badRows === 1 ? '1 bad row' : `${badRows} bad rows`;
  const lines = faults.map(({ line, column, message }) =>
    column === null ? `  line ${line}: ${message}` : `  line ${line}, ${column}: ${message}`,
  );
  const more = faults.length < SHOWN_FAULTS ? [] : [`  (the first ${SHOWN_FAULTS} faults)`];
  return [`Nothing was imported: ${rows}.`, ...lines, ...more].join('\n');
}
