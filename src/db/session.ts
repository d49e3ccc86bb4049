import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import postgres from 'postgres';
import type { Statement } from './statements.ts';

export interface SessionSettings {
  /** The options object of the client that builds the statements; parsers are shared with it. */
  options: postgres.ParsedOptions;
  connectTimeoutMs: number;
  /** How long to wait for an answer before the connection counts as lost; 0 for ever. */
  answerTimeoutMs: number;
}

/**
 * One PostgreSQL connection that is never replaced: a postgres.js client of its own whose socket
 * factory works exactly once.
 *
 * postgres.js reconnects underneath whoever still holds a connection, and lets state of the old
 * one (statements being written, the last error, a row counter) reach the next user: upstream
 * #1155, #1186, #1204, #1215. Here a lost connection takes everything that belonged to it along.
 */
export class Session {
  readonly openedAt = performance.now();
  /** Called once, synchronously, when the connection is lost. */
  onLost: ((cause: Error) => void) | undefined;
  #lost: Error | undefined;
  #socket: Socket | undefined;
  #client: postgres.Sql | undefined;
  #dispatch: ((statement: Statement) => void) | undefined;
  #current: Statement | undefined;
  #queue: Statement[] = [];

  readonly #settings: SessionSettings;

  private constructor(settings: SessionSettings) {
    this.#settings = settings;
  }

  /** Connects and logs in; rejects with the reason, at the latest after the connect timeout. */
  static async open(settings: SessionSettings): Promise<Session> {
    const session = new Session(settings);
    const deadline = setTimeout(
      () => session.destroy(connectionLost('The database did not answer in time.')),
      settings.connectTimeoutMs,
    );
    try {
      await session.#connect();
      return session;
    } catch (error) {
      const cause = session.#lost ?? error;
      session.destroy(cause as Error);
      throw cause;
    } finally {
      clearTimeout(deadline);
    }
  }

  /** Why the connection is gone; undefined while it is there. */
  get lost(): Error | undefined {
    return this.#lost;
  }

  /** What a cursor's callback answers to end the cursor. */
  get cursorEnd(): unknown {
    return this.#client?.CLOSE;
  }

  /**
   * Sends a statement when those before it are answered. One at a time: pipelined, a statement
   * that cannot be serialised makes postgres.js hand its error and the following answers to the
   * wrong statements.
   */
  run(statement: Statement): void {
    if (this.#lost) return statement.reject(this.#lost);
    this.#queue.push(statement);
    this.#next();
  }

  /** Runs a fixed command without parameters and returns its command tag. */
  async command(text: string): Promise<string> {
    if (this.#lost) throw this.#lost;
    const statement = this.#build(text);
    this.run(statement);
    const result = (await statement) as postgres.ResultMeta<number>;
    return result.command;
  }

  #build(text: string): Statement {
    if (!this.#client) throw new Error('Not connected.');
    const statement = this.#client.unsafe(text) as unknown as Statement;
    statement.handler = () => {}; // it is sent by run(), not by being awaited
    return statement;
  }

  /** Cuts the connection now; what is in flight or queued is rejected with `cause`. */
  destroy(cause: Error): void {
    this.#lose(cause);
    this.#socket?.destroy(cause);
  }

  /** Says goodbye to the server. For sessions that nobody uses any more. */
  async close(): Promise<void> {
    this.#lose(connectionLost('This database connection is closed.'));
    await this.#client?.end({ timeout: 0 });
    this.#socket?.destroySoon(); // the server may never answer our goodbye
  }

  async #connect(): Promise<void> {
    const { options } = this.#settings;
    // An options object that is parsed already is taken as it is, so parsers and serialisers are
    // the very objects that drizzle-orm adjusts on the client it is given.
    this.#client = postgres({
      ...options,
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      // Its failure is an unhandled rejection inside postgres.js; pg-arrays.ts stands in for it.
      fetch_types: false,
      onclose: () => this.#lose(connectionLost('The database connection was closed.')),
      socket: () => this.#openSocket(),
    } as unknown as postgres.Options<Record<string, postgres.PostgresType>>);
    await this.#client.unsafe('select 1');
    const reserved = await this.#client.reserve();
    // A reserved handle speaks on its one connection only, and queues nothing for another.
    const { handler } = reserved.unsafe('') as unknown as Statement;
    if (typeof handler !== 'function') throw new Error('Unsupported version of postgres.js.');
    this.#dispatch = handler;
  }

  async #openSocket(): Promise<Socket> {
    if (this.#lost || this.#socket)
      throw this.#lost ?? connectionLost('The connection was closed.');
    const { host, port, path } = this.#settings.options;
    const address = path ? { path } : { host: host[0]!, port: port[0]! };
    const socket = connect({ ...address, noDelay: true });
    this.#socket = socket;
    // Heard before postgres.js hears it, so that nobody acts on a dead connection between "error"
    // and "close". With TLS it takes these listeners away; #next() looks at the errors for that.
    socket.on('error', (error) => this.#lose(error));
    socket.on('end', () => this.#lose(connectionLost('The database closed the connection.')));
    await once(socket, 'connect');
    // postgres.js takes the TLS server name from here.
    return Object.assign(socket, { host: host[0], port: port[0] });
  }

  #next(): void {
    if (this.#current || this.#lost) return;
    const statement = this.#queue.shift();
    if (!statement) return;
    if (statement.cancelled) return this.#next();
    this.#current = statement;
    const { answerTimeoutMs } = this.#settings;
    const watchdog =
      answerTimeoutMs === 0
        ? undefined
        : setTimeout(
            () => this.destroy(connectionLost('The database did not answer a statement in time.')),
            answerTimeoutMs,
          );
    const done = (answered: boolean) => {
      clearTimeout(watchdog);
      if (this.#current !== statement) return;
      this.#current = undefined;
      if (!answered) this.#queue.unshift(this.#build('select 1'));
      this.#next();
    };
    statement.then(
      () => done(statement.cursorFn === undefined),
      (error: unknown) => {
        if (isConnectionError(error)) this.destroy(error);
        // Refused on our side: the connection is in step again after one whole round trip.
        done(error instanceof postgres.PostgresError);
      },
    );
    this.#dispatch?.(statement);
  }

  #lose(cause: Error): void {
    if (this.#lost) return;
    this.#lost = cause;
    const pending = this.#current ? [this.#current, ...this.#queue] : this.#queue;
    this.#current = undefined;
    this.#queue = [];
    this.onLost?.(cause);
    for (const statement of pending) statement.reject(cause);
  }
}

/** As postgres.js names its own, so that both can be told apart from other errors. */
function connectionLost(message: string): Error {
  return Object.assign(new Error(message), { code: 'CONNECTION_LOST' });
}

function isConnectionError(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(CONNECTION_|E[A-Z]+$)/.test(code);
}
