import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** How a connection is broken: orderly FIN both ways, RST both ways, or FIN to the client only. */
export type Break = 'cut' | 'reset' | 'half-close';
export type Direction = 'to-server' | 'to-client';

/** One client connection through the proxy and its counterpart to the server. */
export class Link {
  /** The server process at the other end, once PostgreSQL has told its client. */
  backendPid: number | undefined;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #budget: Partial<Record<Direction, { bytes: number; how: Break }>> = {};
  #delayMs = 0;
  #head = Buffer.alloc(0);
  #broken = false;

  constructor(client: Socket, server: Socket) {
    this.#client = client;
    this.#server = server;
    this.#pipe(client, server, 'to-server');
    this.#pipe(server, client, 'to-client');
  }

  /** Breaks the connection now; what was not forwarded yet is lost. */
  break(how: Break): void {
    if (how === 'half-close' && !this.#broken) {
      this.#client.end();
    } else if (how === 'reset') {
      this.#client.resetAndDestroy();
      this.#server.resetAndDestroy();
    } else {
      this.#client.end(() => this.#client.destroy());
      this.#server.end(() => this.#server.destroy());
    }
    this.#broken = true;
  }

  /** Forwards this many more bytes in one direction, then breaks the connection. */
  breakAfter(direction: Direction, bytes: number, how: Break): void {
    this.#budget[direction] = { bytes, how };
  }

  /** Holds every chunk back for this long, in both directions. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  #pipe(from: Socket, to: Socket, direction: Direction): void {
    let turn = Promise.resolve();
    const inTurn = (step: () => void) => {
      if (this.#delayMs === 0) turn = turn.then(step);
      else {
        const due = new Promise((resolve) => setTimeout(resolve, this.#delayMs));
        turn = turn.then(() => due).then(step);
      }
    };
    from.on('data', (chunk: Buffer) => {
      if (direction === 'to-client' && this.backendPid === undefined) this.#findPid(chunk);
      inTurn(() => this.#forward(to, chunk, direction));
    });
    from.on('end', () => inTurn(() => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => inTurn(() => to.destroy()));
  }

  #forward(to: Socket, chunk: Buffer, direction: Direction): void {
    if (this.#broken) return;
    const budget = this.#budget[direction];
    if (!budget || chunk.length < budget.bytes) {
      if (budget) budget.bytes -= chunk.length;
      to.write(chunk);
      return;
    }
    // Only when these bytes are on their way may the connection break.
    const { bytes, how } = budget;
    if (bytes === 0) this.break(how);
    else to.write(chunk.subarray(0, bytes), () => this.break(how));
    this.#budget[direction] = { bytes: 0, how };
  }

  /** BackendKeyData: 'K', length 12, process id, secret. */
  #findPid(chunk: Buffer): void {
    this.#head = Buffer.concat([this.#head, chunk]);
    const at = this.#head.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
    if (at >= 0 && this.#head.length >= at + 9) this.backendPid = this.#head.readInt32BE(at + 5);
  }
}

/** A TCP proxy in front of PostgreSQL whose connections a test can break. */
export class TcpProxy {
  readonly links = new Set<Link>();
  /** Called with every new connection before anything is forwarded. */
  onLink: ((link: Link) => void) | undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Listens on a free local port and forwards to the server of this database URL. */
  static async start(databaseUrl: string): Promise<TcpProxy> {
    const target = new URL(databaseUrl);
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true });
    const proxy = new TcpProxy(server);
    server.on('connection', (client) => {
      const upstream = connect({
        host: target.hostname,
        port: Number(target.port || 5432),
        allowHalfOpen: true,
        noDelay: true,
      });
      client.setNoDelay(true);
      const link = new Link(client, upstream);
      proxy.links.add(link);
      client.on('close', () => proxy.links.delete(link));
      proxy.onLink?.(link);
      client.resume();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** The same database, reached through this proxy. */
  url(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.hostname = '127.0.0.1';
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** The connection that ends at this server process. */
  linkTo(backendPid: number): Link | undefined {
    return [...this.links].find((link) => link.backendPid === backendPid);
  }

  /** Breaks everything and stops listening. */
  async close(): Promise<void> {
    this.#server.close();
    for (const link of this.links) link.break('reset');
    if (this.#server.listening) await once(this.#server, 'close');
  }
}
