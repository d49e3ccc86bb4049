import type postgres from 'postgres';
import type { Session } from './session.ts';
import { TransactionLostError } from './transaction-errors.ts';

/** What this module relies on inside the queries of postgres.js 3.4.9. */
export interface Statement extends Promise<unknown> {
  readonly strings: readonly string[];
  /** Called once, when the statement is to be sent. */
  handler: (statement: Statement) => void;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  cursor: (...args: unknown[]) => unknown;
  cursorFn?: unknown;
  /** Set by cancel(): postgres.js would pass over it, and wait for ever for its answer. */
  cancelled: unknown;
}

type Rows = AsyncIterator<unknown>;

const TRANSACTION_CONTROL =
  /^\s*(begin|start\s+transaction|commit|end|rollback|abort|savepoint|release|prepare\s+transaction)\b/i;

/**
 * Makes `handler` what sends a statement that postgres.js has built; anything else that its
 * functions return (identifiers, value helpers) passes through. `session` is the connection the
 * statement will run on, if that is known: cursors need one.
 */
function adopt<T>(
  built: T,
  handler: (statement: Statement) => void,
  session: Session | undefined,
): T {
  if (!(built instanceof Promise)) return built;
  const statement = built as unknown as Statement;
  if (typeof statement.handler !== 'function') {
    throw new Error('This version of postgres.js is not supported.');
  }
  statement.handler = (query) => {
    // Behind the back of begin() they would end one transaction and leave the rest unprotected.
    if (TRANSACTION_CONTROL.test(query.strings[0] ?? '')) {
      return refuse(query, new Error('Use begin() and savepoint() to control transactions.'));
    }
    handler(query);
  };
  guardCursor(statement, session);
  // A COPY stream writes to whatever socket its connection has, even to none.
  return Object.assign(built, {
    readable: unsupported,
    writable: unsupported,
    describe: unsupported,
  });
}

function unsupported(): never {
  throw new Error('COPY streams and describe() are not supported by the guarded client.');
}

/**
 * Builds a statement from text and parameters that the server prepares once for a connection.
 * Drizzle asks for the opposite, which costs a second round trip and a new plan at each execution.
 */
function buildPrepared(
  builder: postgres.Sql,
  ...[text, parameters, options]: Parameters<postgres.Sql['unsafe']>
): unknown {
  const hasParameters = Array.isArray(parameters) && parameters.length > 0;
  return builder.unsafe(text, parameters, hasParameters ? { ...options, prepare: true } : options);
}

/**
 * What a client and a transaction have in common: the tagged template, its helpers, `unsafe` and
 * `notify`, with `send` as what sends their statements.
 */
export function statementFunctions(
  builder: postgres.Sql,
  send: (statement: Statement) => void,
  session: Session | undefined,
) {
  const build = builder as (...args: unknown[]) => unknown;
  const take = <T>(built: T) => adopt(built, send, session);
  return Object.assign((...args: unknown[]) => take(build(...args)), {
    types: builder.types,
    typed: builder.typed,
    array: builder.array,
    json: builder.json,
    unsafe: (...args: Parameters<typeof builder.unsafe>) => take(buildPrepared(builder, ...args)),
    notify: (channel: string, payload: string) =>
      take(builder`select pg_notify(${channel}, ${payload})`),
  });
}

/** Rejects a statement that must not be sent; whether or not anybody is listening. */
export function refuse(statement: Statement, error: unknown): void {
  statement.catch(() => {});
  statement.reject(error);
}

/** Stops a cursor from asking for more rows once its connection is lost: there is no socket. */
function guardCursor(statement: Statement, session: Session | undefined): void {
  const open = statement.cursor.bind(statement);
  statement.cursor = (rows: unknown = 1, callback?: unknown) => {
    if (!session) throw new Error('Cursors need a transaction: use begin().');
    const each = typeof rows === 'function' ? rows : callback;
    const size = typeof rows === 'number' ? rows : 1;
    if (typeof each !== 'function') {
      const { resolve, reject } = statement; // the iterator replaces them
      const iterable = open(size) as AsyncIterable<unknown>;
      return {
        [Symbol.asyncIterator]: () =>
          guardRows(iterable[Symbol.asyncIterator](), session, { resolve, reject }),
      };
    }
    let failed = false;
    return open(size, async (batch: unknown) => {
      if (failed) return undefined;
      let answer: unknown;
      try {
        answer = await each(batch);
      } catch (error) {
        failed = true;
        statement.reject(error);
        answer = session.cursorEnd;
      }
      return session.lost ? new Promise(() => {}) : answer;
    });
  };
}

function guardRows(
  rows: Rows,
  session: Session,
  statement: Pick<Statement, 'resolve' | 'reject'>,
): Rows {
  return {
    async next() {
      if (session.lost) throw new TransactionLostError(session.lost);
      try {
        const next = await rows.next();
        if (next.done) statement.resolve(undefined);
        return next;
      } catch (error) {
        statement.reject(error);
        throw error;
      }
    },
    async return() {
      if (!session.lost) await rows.return?.();
      statement.resolve(undefined);
      return { done: true, value: undefined };
    },
  };
}
