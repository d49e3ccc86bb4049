import { Resolver } from 'node:dns/promises';

/** How names are looked up. */
export interface ResolveOptions {
  /** DNS servers (`ip` or `ip:port`) in place of the system's. */
  dnsServers?: readonly string[] | undefined;
  /** Ends the look-up early; the answer is then `unavailable`. */
  signal?: AbortSignal | undefined;
  /** Most time for the whole look-up, in milliseconds; default 5,000. */
  limitMs?: number | undefined;
}

/**
 * What a look-up found: addresses (IPv4 first); the certainty that there are none; or nothing,
 * because DNS could not be asked or gave no proper answer, which says nothing about the name.
 */
export type Resolution =
  { kind: 'found'; addresses: [string, ...string[]] } | { kind: 'none' } | { kind: 'unavailable' };

const TRY_MS = 2_000;
const TRIES = 2;
const LIMIT_MS = 5_000;

/** How long one family's addresses wait for the other family's answer; some servers give none. */
const GRACE_MS = 1_000;

/** Answers that are certain: no such name, or no record of this kind. */
const DEFINITE = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Looks up the IPv4 and IPv6 addresses of a name at the DNS servers directly. The system's own
 * look-up is not used: it cannot be cancelled, runs on four threads that one slow server could
 * take from everybody, and reads the hosts file. Never throws for what DNS does.
 */
export async function resolveHost(name: string, options: ResolveOptions = {}): Promise<Resolution> {
  if (options.signal?.aborted) return { kind: 'unavailable' };
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (options.dnsServers) resolver.setServers(options.dnsServers);
  const cancel = () => resolver.cancel();
  const timers = [setTimeout(cancel, options.limitMs ?? LIMIT_MS)];
  const ask = async (answer: Promise<string[]>) => {
    const addresses = await addressesOf(answer);
    if (addresses?.length) timers.push(setTimeout(cancel, GRACE_MS));
    return addresses;
  };
  options.signal?.addEventListener('abort', cancel, { once: true });
  try {
    const [v4, v6] = await Promise.all([
      ask(resolver.resolve4(name)),
      ask(resolver.resolve6(name)),
    ]);
    const [first, ...rest] = [...(v4 ?? []), ...(v6 ?? [])];
    if (first !== undefined) return { kind: 'found', addresses: [first, ...rest] };
    return { kind: v4 && v6 ? 'none' : 'unavailable' };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    options.signal?.removeEventListener('abort', cancel);
  }
}

/** The addresses of one family; none when that is certain; undefined when it is not known. */
async function addressesOf(answer: Promise<string[]>): Promise<string[] | undefined> {
  try {
    return await answer;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    return DEFINITE.has(code) ? [] : undefined;
  }
}
