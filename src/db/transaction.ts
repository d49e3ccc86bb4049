import postgres from 'postgres';
import {
  CommitOutcomeUnknownError,
  TransactionClosedError,
  TransactionLostError,
} from './transaction-errors.ts';
import type { Session } from './session.ts';
import { statementFunctions, refuse, type Statement } from './statements.ts';

/** What `begin()` and `savepoint()` are given to run. */
export type TransactionCallback = (sql: postgres.TransactionSql) => unknown;

/** One transaction, alone on its session. */
export class Transaction {
  readonly #session: Session;
  readonly #builder: postgres.Sql;
  #savepoints = 0;
  /** Set once no further statement may be sent: what to refuse it with. */
  #closed: Error | undefined;

  /** `builder` is the client that statements are built with; nothing is sent through it. */
  constructor(session: Session, builder: postgres.Sql) {
    this.#session = session;
    this.#builder = builder;
  }

  /**
   * Runs the callback between BEGIN and COMMIT; settles exactly once. Rejects with what the
   * callback threw or its first failed statement (rolled back), TransactionLostError (rolled back)
   * or CommitOutcomeUnknownError. A callback whose connection is lost is not waited for.
   */
  async run(options: string, callback: TransactionCallback): Promise<unknown> {
    const lost = new Promise<never>((_, reject) => {
      // Called synchronously with the loss, so no code of the callback runs before the refusal.
      this.#session.onLost = (cause) => {
        this.#closed ??= new TransactionLostError(cause);
        reject(this.#closed);
      };
    });
    lost.catch(() => {});
    const value = await Promise.race([this.#beginAndWork(options, callback), lost]).catch(
      async (error: unknown) => {
        // Its own statement may report the loss first, in whatever words the socket had for it.
        if (this.#closed) throw this.#closed;
        this.#close();
        await this.#session.command('rollback').catch((cause: Error) => {
          this.#session.destroy(cause);
        });
        throw error;
      },
    );
    this.#close();
    await this.#commit();
    return value;
  }

  async #beginAndWork(options: string, callback: TransactionCallback): Promise<unknown> {
    await this.#session.command(`begin ${options}`);
    return this.#inScope(callback);
  }

  #close(): void {
    this.#closed ??= new TransactionClosedError();
  }

  async #commit(): Promise<void> {
    // Lost in the very tick in which the callback ended.
    if (this.#session.lost) throw new TransactionLostError(this.#session.lost);
    let tag: string;
    try {
      tag = await this.#session.command('commit');
    } catch (error) {
      // ERROR is PostgreSQL's refusal (a deferred constraint, a serialization failure). FATAL can
      // come after the commit record is written, like the loss of the connection.
      if (error instanceof postgres.PostgresError && error.severity === 'ERROR') throw error;
      this.#session.destroy(error as Error);
      throw new CommitOutcomeUnknownError(error);
    }
    // COMMIT of a transaction that has failed is answered with ROLLBACK, as a success.
    if (tag !== 'COMMIT') throw new Error('The transaction had failed and was rolled back.');
  }

  /** Runs a callback with a handle of its own, then waits for everything it started. */
  async #inScope(callback: TransactionCallback): Promise<unknown> {
    const pending = new Set<Promise<unknown>>();
    let failure: { error: unknown } | undefined;
    let ended = false;
    let inSavepoint = false;

    const track = (work: Promise<unknown>) => {
      pending.add(work);
      work.then(
        () => pending.delete(work),
        (error: unknown) => {
          pending.delete(work);
          failure ??= { error };
        },
      );
    };
    const handler = (statement: Statement) => {
      const closed = this.#closed ?? (ended ? new TransactionClosedError() : undefined);
      if (closed) return refuse(statement, closed);
      track(statement);
      this.#session.run(statement);
    };
    const savepoint = async (nested: TransactionCallback) => {
      const closed = this.#closed ?? (ended ? new TransactionClosedError() : undefined);
      if (closed) throw closed;
      if (inSavepoint) throw new Error('Savepoints of a transaction must run one after another.');
      inSavepoint = true;
      const work = this.#inSavepoint(nested).finally(() => {
        pending.delete(work);
        inSavepoint = false;
      });
      pending.add(work);
      return work;
    };

    try {
      const returned = await callback(this.#handle(handler, savepoint));
      // An array is a list of statements, as in postgres.js.
      const value = Array.isArray(returned) ? await Promise.all(returned) : returned;
      // A statement nobody waited for may have failed, and COMMIT would then roll back silently.
      while (pending.size > 0) await Promise.allSettled(pending);
      if (failure) throw failure.error;
      return value;
    } catch (error) {
      // "current transaction is aborted" says nothing; what aborted it does.
      const aborted = error instanceof postgres.PostgresError && error.code === '25P02';
      throw aborted && failure ? failure.error : error;
    } finally {
      ended = true;
    }
  }

  async #inSavepoint(callback: TransactionCallback): Promise<unknown> {
    const name = `s${this.#savepoints++}`;
    await this.#command(`savepoint ${name}`);
    try {
      return await this.#inScope(callback);
    } catch (error) {
      await this.#command(`rollback to ${name}`);
      throw error;
    }
  }

  async #command(text: string): Promise<void> {
    if (this.#closed) throw this.#closed;
    await this.#session.command(text);
  }

  #handle(
    handler: (statement: Statement) => void,
    savepoint: (callback: TransactionCallback) => Promise<unknown>,
  ): postgres.TransactionSql {
    return Object.assign(statementFunctions(this.#builder, handler, this.#session), {
      savepoint: (first: unknown, second?: unknown) =>
        savepoint((second ?? first) as TransactionCallback),
      file: () => unsupported('file'),
      prepare: () => unsupported('prepare'),
    }) as unknown as postgres.TransactionSql;
  }
}

function unsupported(what: string): never {
  throw new Error(`${what}() is not supported in a guarded transaction.`);
}
