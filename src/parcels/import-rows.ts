import { badRequest } from '../errors.ts';
import { BrokenCsv, csvRows, type CsvRow } from './csv-rows.ts';
import type { FaultList } from './import-faults.ts';
import { parcelId } from './parcel-row.ts';
import {
  PARCEL_FIELDS,
  parcelFields,
  parcelFieldsFromText,
  REQUIRED_PARCEL_FIELDS,
  type ParcelFields,
} from './parcel-fields.ts';
import { SeenKeys } from './seen-keys.ts';

/** A good row of an import. */
export interface ImportRow {
  fields: ParcelFields;
  bytesRead: number;
}

/**
 * The good rows of a file, one after another; the bad ones go to `faults`. Throws `bad_request` for
 * a heading that names unknown columns or leaves needed ones out, or a file without rows.
 */
export async function* importRows(path: string, faults: FaultList): AsyncGenerator<ImportRow> {
  const seen = new SeenKeys();
  let columns: string[] | undefined;
  let rows = 0;
  try {
    for await (const row of csvRows(path)) {
      if (!columns) {
        columns = readHeading(row);
        continue;
      }
      rows += 1;
      const fields = readRow(row, columns, seen, faults);
      if (fields) yield { fields, bytesRead: row.bytesRead };
    }
  } catch (error) {
    if (!(error instanceof BrokenCsv)) throw error;
    const message = `${error.message}. The file was not read any further`;
    faults.addRow(error.line, [{ field: null, message }]);
    return;
  }
  if (!columns) throw badRequest('file', 'file: is empty; its first line must name the columns.');
  if (rows === 0) throw badRequest('file', 'file: has no rows below the heading.');
}

function readHeading({ cells }: CsvRow): string[] {
  const columns = cells.map((cell) => cell.trim().toLowerCase());
  const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
  const faults = [
    [
      'there is no column for',
      columns.filter((name) => !(PARCEL_FIELDS as string[]).includes(name)),
    ],
    ['twice:', columns.filter((name, i) => columns.indexOf(name) !== i)],
    ['missing:', REQUIRED_PARCEL_FIELDS.filter((name) => !columns.includes(name))],
  ] as const;
  const told = faults.filter(([, names]) => names.length > 0);
  if (told.length === 0) return columns;
  const text = told.map(([what, names]) => `${what} ${quoted(names)}`).join('; ');
  throw badRequest('file', `Line 1: ${text}. The columns are ${PARCEL_FIELDS.join(', ')}.`);
}

/** The fields of a row, or undefined when it is bad. */
function readRow(
  { cells, line }: CsvRow,
  columns: readonly string[],
  seen: SeenKeys,
  faults: FaultList,
): ParcelFields | undefined {
  if (cells.length !== columns.length) {
    const message = `has ${cells.length} cells, the heading has ${columns.length}`;
    faults.addRow(line, [{ field: null, message }]);
    return undefined;
  }
  const texts = Object.fromEntries(columns.map((name, i) => [name, cells[i] ?? '']));
  const parsed = parcelFields.safeParse(parcelFieldsFromText(texts));
  if (!parsed.success) {
    const bad = parsed.error.issues.map(({ path, message }) => ({
      ...{ field: String(path[0] ?? ''), message },
    }));
    faults.addRow(line, bad);
    return undefined;
  }
  const before = seen.add(parcelId(parsed.data), line);
  if (before === undefined) return parsed.data;
  const message = `is the parcel of line ${before} again`;
  faults.addRow(line, [{ field: 'account_num', message }]);
  return undefined;
}
