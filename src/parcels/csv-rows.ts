import { createReadStream } from 'node:fs';
import { CsvError, parse, type Parser } from 'csv-parse';
import { badRequest, unavailable } from '../errors.ts';

/** One row of a file: its cells, and where it is. */
export interface CsvRow {
  cells: string[];
  /** The line that it begins on, from 1. */
  line: number;
  /** Bytes of the file that have been read so far. */
  bytesRead: number;
}

/** The file stops being CSV here; nothing after it can be read. */
export class BrokenCsv extends Error {
  override readonly name = 'BrokenCsv';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** The longest row, in characters: a quote that is never closed must not take all memory. */
const LONGEST_ROW = 100_000;

/**
 * The rows of a CSV file (RFC 4180), one after another, without empty ones. It is read as a stream:
 * the rows of one piece of it are held at a time. Line ends may be LF, CRLF or CR, also inside
 * quotes; a byte order mark is passed over. Throws BrokenCsv, after the rows before that place,
 * `bad_request` when it is not UTF-8, and `unavailable` when the file cannot be read.
 */
export async function* csvRows(path: string): AsyncGenerator<CsvRow> {
  const rows: CsvRow[] = [];
  let line = 1;
  let bytesRead = 0;
  const parser = parse({
    record_delimiter: '\n',
    // Counted by whoever reads the rows, who can say what is missing.
    relax_column_count: true,
    max_record_size: LONGEST_ROW,
    // Taken here and not from the stream, which drops what it holds when there is an error.
    on_record(cells: string[], { lines }) {
      const isEmpty = cells.length === 1 && cells[0] === '';
      if (!isEmpty) rows.push({ cells, line, bytesRead });
      line = lines + 1;
      return null;
    },
  });
  const write = feeder(parser);
  const decode = textDecoder();
  try {
    for await (const chunk of fileChunks(path)) {
      bytesRead += chunk.length;
      await write(decode(chunk));
      yield* rows.splice(0);
    }
    await write(decode(undefined));
    await write(undefined);
  } catch (error) {
    yield* rows.splice(0);
    throw error instanceof CsvError ? new BrokenCsv(line, explain(error)) : error;
  } finally {
    parser.destroy();
  }
  yield* rows;
}

async function* fileChunks(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>;
  } catch (error) {
    throw unavailable(`${path} cannot be read: ${(error as Error).message}`, error);
  }
}

/** Gives the parser a piece of text, or the end, and waits until it has read it. */
function feeder(parser: Parser): (text: string | undefined) => Promise<void> {
  const failed = new Promise<never>((_, reject) => parser.on('error', reject));
  failed.catch(() => undefined);
  return async (text) => {
    const taken = new Promise<void>((resolve, reject) => {
      const done = (error?: Error | null) => (error ? reject(error) : resolve());
      if (text === undefined) parser.end(done);
      else parser.write(text, done);
    });
    await Promise.race([taken, failed]);
  };
}

/** Bytes to text with plain line ends; undefined is the end. */
function textDecoder(): (chunk: Buffer | undefined) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let heldBack = '';
  return (chunk) => {
    let text: string;
    try {
      text = heldBack + decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw badRequest('file', 'file: is not UTF-8 text.');
    }
    // The other half of a CRLF may come with the next piece.
    heldBack = chunk !== undefined && text.endsWith('\r') ? '\r' : '';
    return text.slice(0, text.length - heldBack.length).replaceAll(/\r\n?/g, '\n');
  };
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE:
    'after a closing quote there must be a comma or the end of the line; a quote inside quotes is written twice',
  INVALID_OPENING_QUOTE: 'a cell with a quote in it must be in quotes, and the quote written twice',
  CSV_MAX_RECORD_SIZE: `a row must have at most ${LONGEST_ROW} characters; is a quote not closed?`,
};

function explain({ code, message }: CsvError): string {
  return EXPLANATIONS[code] ?? message;
}
