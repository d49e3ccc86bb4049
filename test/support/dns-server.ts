import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { decode, encode, type Packet } from 'dns-packet';

/** What the server says about a name: addresses of either family, a refusal, or nothing at all. */
export type DnsAnswer = readonly string[] | 'nxdomain' | 'servfail' | 'refused' | 'silent';

/** An answer, or one made anew for the n-th question (from 0) of the same record type. */
export type DnsRule = DnsAnswer | ((nth: number, type: 'A' | 'AAAA') => DnsAnswer);

/** A real DNS server on loopback; see {@link startDnsServer}. */
export interface DnsServer {
  /** `ip:port`, as the sender's `dnsServers` option takes it. */
  readonly address: string;
  /** Says from now on what a name resolves to, and counts anew; unknown names do not exist. */
  set(name: string, rule: DnsRule): void;
  /** How many questions were asked about a name since its rule was set. */
  questions(name: string): number;
  close(): Promise<void>;
}

const RCODES = { nxdomain: 3, servfail: 2, refused: 5 } as const;
const AUTHORITATIVE = 0x400;

/** Starts a DNS server that answers over UDP on 127.0.0.1. */
export async function startDnsServer(): Promise<DnsServer> {
  const rules = new Map<string, DnsRule>();
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');

  socket.on('message', (message, from) => {
    const query = decode(message);
    const question = query.questions?.[0];
    if (!question) return;
    const type = question.type === 'AAAA' ? 'AAAA' : 'A';
    const name = question.name.toLowerCase();
    const nth = asked.get(`${type} ${name}`) ?? 0;
    asked.set(`${type} ${name}`, nth + 1);

    const rule = rules.get(name) ?? 'nxdomain';
    const answer = typeof rule === 'function' ? rule(nth, type) : rule;
    if (answer === 'silent') return;
    const reply: Packet = { ...query, type: 'response', flags: AUTHORITATIVE, additionals: [] };
    if (typeof answer === 'string') {
      reply.flags = AUTHORITATIVE | RCODES[answer];
    } else {
      reply.answers = answer
        .filter((ip) => isIPv6(ip) === (type === 'AAAA'))
        .map((data) => ({ type, name: question.name, ttl: 0, data }));
    }
    socket.send(encode(reply), from.port, from.address);
  });

  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    set(name, rule) {
      rules.set(name, rule);
      for (const type of ['A', 'AAAA']) asked.delete(`${type} ${name}`);
    },
    questions: (name) => (asked.get(`A ${name}`) ?? 0) + (asked.get(`AAAA ${name}`) ?? 0),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
