import postgres from 'postgres';
import { registerArrayTypes } from './pg-arrays.ts';
import { SessionPool } from './session-pool.ts';
import { statementFunctions, refuse, type Statement } from './statements.ts';
import { Transaction, type TransactionCallback } from './transaction.ts';

export {
  CommitOutcomeUnknownError,
  TransactionClosedError,
  TransactionLostError,
} from './transaction-errors.ts';

export interface GuardedClientOptions {
  /** Most connections held at once. */
  max?: number;
  /** What PostgreSQL shows for the connections in pg_stat_activity. */
  applicationName?: string;
  connectTimeoutMs?: number;
  /** Longest that one statement may take; 0 for no limit. */
  statementTimeoutMs?: number;
  /**
   * How long to wait for the answer to a statement before its connection counts as lost; 0 for
   * ever. The server gives up first: this is for when its answer cannot reach us.
   */
  answerTimeoutMs?: number;
  /** Longest pause inside a transaction before PostgreSQL ends it; 0 for no limit. */
  idleInTransactionTimeoutMs?: number;
  /** A connection is replaced after this time, when it is free. */
  maxLifetimeMs?: number;
  /** Whether statements are prepared on the server and reused. */
  prepare?: boolean;
}

/**
 * A postgres.js client, safe to hand to `drizzle()`, on which a transaction never outlives its
 * connection. In postgres.js 3.4.9 the callback of a `begin()` whose connection dropped goes on
 * speaking on the next one, inside someone else's transaction (upstream #1155, #1186, #1204,
 * #1215). Here every connection is lent to one transaction or one statement at a time and is never
 * reconnected; once it is lost, whatever held it is refused locally.
 *
 * `begin()` rejects with TransactionLostError (rolled back), CommitOutcomeUnknownError, or what
 * made it fail; its handle refuses statements afterwards with TransactionClosedError. Statements
 * outside a transaction reject with the connection's error and may or may not have run.
 *
 * Not supported, because upstream they escape the guard: `reserve`, `largeObject`, `subscribe`,
 * `file`, COPY streams, and cursors outside a transaction. `listen` has a connection of its own.
 */
export function createGuardedClient(
  databaseUrl: string,
  options: GuardedClientOptions = {},
): postgres.Sql {
  const {
    max = 10,
    applicationName = 'lead-events',
    connectTimeoutMs = 10_000,
    statementTimeoutMs = 30_000,
    answerTimeoutMs = statementTimeoutMs > 0 ? statementTimeoutMs + 5_000 : 0,
    idleInTransactionTimeoutMs = 30_000,
    maxLifetimeMs = 30 * 60_000,
    prepare = true,
  } = options;

  // Builds statements and listens; it opens no other connection.
  const builder = postgres(databaseUrl, {
    max: 1,
    prepare,
    fetch_types: false,
    keep_alive: 30,
    connect_timeout: Math.ceil(connectTimeoutMs / 1000),
    onnotice: () => {},
    connection: {
      application_name: applicationName,
      // Timestamps are read as UTC (drizzle/columns.ts), whatever the server's own zone is.
      TimeZone: 'UTC',
      DateStyle: 'ISO',
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    },
  });

  if (builder.options.host.length > 1) throw new Error('The database URL may name one host only.');
  registerArrayTypes(builder.options);

  const pool = new SessionPool(
    {
      options: builder.options,
      connectTimeoutMs,
      answerTimeoutMs,
    },
    max,
    maxLifetimeMs,
  );

  return Object.assign(statementFunctions(builder, run, undefined), {
    listen: builder.listen,
    options: builder.options,
    parameters: builder.parameters,
    PostgresError: builder.PostgresError,
    CLOSE: builder.CLOSE,
    END: builder.CLOSE,
    begin,
    end,
    file: () => unsupported('file'),
    reserve: () => unsupported('reserve'),
    largeObject: () => unsupported('largeObject'),
    subscribe: () => unsupported('subscribe'),
  }) as unknown as postgres.Sql;

  function run(statement: Statement): void {
    pool.acquire().then(
      async (session) => {
        session.run(statement);
        await statement.catch(() => {});
        pool.release(session);
      },
      (error: unknown) => refuse(statement, error),
    );
  }

  async function begin(
    first: string | TransactionCallback,
    second?: TransactionCallback,
  ): Promise<unknown> {
    const modes = typeof first === 'string' ? first.replace(/[^a-z ]/gi, '') : '';
    const callback = typeof first === 'string' ? second : first;
    if (!callback) throw new TypeError('begin() needs a callback.');
    const session = await pool.acquire();
    try {
      return await new Transaction(session, builder).run(modes, callback);
    } finally {
      pool.release(session);
    }
  }

  /** Closes all connections, after those in use are free or `timeout` seconds have passed. */
  async function end(options: { timeout?: number } = {}): Promise<void> {
    const { timeout } = options;
    await pool.end(timeout === undefined ? undefined : timeout * 1000);
    await builder.end({ timeout: 0 });
  }
}

function unsupported(what: string): never {
  throw new Error(`${what}() is not supported by the guarded client.`);
}
