import { unavailable } from '../errors.ts';
import { Session, type SessionSettings } from './session.ts';

interface Waiter {
  resolve: (session: Session) => void;
  reject: (error: unknown) => void;
}

/** A few sessions, each lent to one transaction or statement at a time, in order of asking. */
export class SessionPool {
  readonly #settings: SessionSettings;
  readonly #max: number;
  readonly #maxLifetimeMs: number;
  readonly #idle: Session[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #sessions = new Set<Session>();
  #connecting = 0;
  #ended: Promise<void> | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(settings: SessionSettings, max: number, maxLifetimeMs: number) {
    this.#settings = settings;
    this.#max = max;
    this.#maxLifetimeMs = maxLifetimeMs;
  }

  /** Lends a session; rejects if a new connection is needed and cannot be made. */
  async acquire(): Promise<Session> {
    if (this.#ended) throw unavailable('The database client is closed.');
    for (let session = this.#idle.pop(); session; session = this.#idle.pop()) {
      session.onLost = undefined;
      if (this.#usable(session)) return session;
      this.#drop(session);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#serve();
    });
  }

  /** Takes a session back, with no transaction open on it. */
  release(session: Session): void {
    session.onLost = undefined;
    if (this.#ended || !this.#usable(session)) return this.#drop(session);
    const waiter = this.#waiting.shift();
    if (waiter) return waiter.resolve(session);
    session.onLost = () => this.#drop(session);
    this.#idle.push(session);
  }

  /** Refuses new work, waits up to `timeoutMs` for what is lent out, then closes everything. */
  end(timeoutMs: number | undefined): Promise<void> {
    this.#ended ??= this.#close(timeoutMs);
    return this.#ended;
  }

  #usable(session: Session): boolean {
    return !session.lost && performance.now() - session.openedAt < this.#maxLifetimeMs;
  }

  #serve(): void {
    if (this.#sessions.size + this.#connecting >= this.#max) return;
    if (this.#waiting.length <= this.#connecting) return;
    this.#connecting++;
    Session.open(this.#settings).then(
      (session) => {
        this.#connecting--;
        this.#sessions.add(session);
        this.release(session);
      },
      (error: unknown) => {
        this.#connecting--;
        // While another session is alive those waiting get that one in their turn.
        if (this.#sessions.size + this.#connecting === 0) {
          this.#rejectWaiting(unavailable('The database cannot be reached.', error));
        }
        this.#settle();
      },
    );
  }

  #drop(session: Session): void {
    if (!this.#sessions.delete(session)) return;
    const index = this.#idle.indexOf(session);
    if (index >= 0) this.#idle.splice(index, 1);
    session.onLost = undefined;
    void session.close();
    this.#serve();
    this.#settle();
  }

  #settle(): void {
    if (this.#sessions.size + this.#connecting === 0) this.#onEmpty?.();
  }

  async #close(timeoutMs: number | undefined): Promise<void> {
    const closed = unavailable('The database client is closed.');
    this.#rejectWaiting(closed);
    for (const session of [...this.#idle]) this.#drop(session);
    let timer: NodeJS.Timeout | undefined;
    if (this.#sessions.size + this.#connecting > 0) {
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
        if (timeoutMs !== undefined) timer = setTimeout(resolve, timeoutMs);
      });
    }
    clearTimeout(timer);
    for (const session of this.#sessions) session.destroy(closed);
  }

  #rejectWaiting(error: unknown): void {
    for (const waiter of this.#waiting.splice(0)) waiter.reject(error);
  }
}
