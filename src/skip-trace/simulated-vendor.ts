import { createHash } from 'node:crypto';
import { createSeededRandom, type SeededRandom } from '../demo/seeded-random.ts';
import type { DncStatus } from '../orders/contacts.ts';
import type { SkipTraceVendor, TraceRequest } from './vendor.ts';

/*
 * No vendor at all: it makes answers up. Numbers are from the range that is set aside for fiction
 * (555-0100 to 555-0199), addresses end in example.com, .net or .org.
 */

/** What comes of a parcel here. */
export type SimulatedFate = 'found' | 'nothing' | 'litigator' | 'unscreened' | 'error_first';

const FATES: readonly (readonly [SimulatedFate, share: number])[] = [
  ['nothing', 0.1],
  ['litigator', 0.05],
  ['unscreened', 0.08],
  ['error_first', 0.06],
  ['found', 1],
];

const AREA_CODES = ['713', '281', '832', '214', '972', '512', '210', '817'] as const;
const CARRIERS = ['Example Wireless', 'Sample Cellular', 'Demo Telephone', null] as const;
const TYPES = ['mobile', 'Mobile', 'wireless', 'landline', 'Landline', 'voip', null] as const;
const MAIL_HOSTS = ['example.com', 'example.net', 'example.org'] as const;

/** An answer in the raw form in which vendors give it. */
interface RawAnswer {
  traced_at: string;
  dnc_screened: boolean;
  litigator: boolean;
  phones: { number: string; type: string | null; carrier: string | null; dnc: DncStatus }[];
  emails: string[];
}

/**
 * Makes believable answers up, the same for the same parcel: in various formats, mostly with numbers,
 * now and then with one that does not exist, with nothing, with a known litigator, or without a
 * do-not-call scrub. Some parcels' first request fails, and the next one does not.
 */
export function createSimulatedVendor(now: () => Date = () => new Date()): SkipTraceVendor {
  const failedOnce = new Set<string>();
  return {
    async trace({ orderId, parcelId, ownerName, signal }: TraceRequest): Promise<RawAnswer> {
      signal.throwIfAborted();
      const fate = simulatedFate(parcelId);
      if (fate === 'error_first' && !failedOnce.has(orderId)) {
        failedOnce.add(orderId);
        throw new Error('The simulated vendor is out of order.');
      }
      failedOnce.delete(orderId);
      const random = randomOf(`answer:${parcelId}`);
      const screened = fate !== 'unscreened';
      const nothing = fate === 'nothing';
      return Promise.resolve({
        traced_at: now().toISOString(),
        dnc_screened: screened,
        litigator: fate === 'litigator',
        phones: nothing ? [] : phones(random, screened),
        emails: nothing ? [] : emails(random, ownerName),
      });
    },
  };
}

/** What will come of a parcel: fixed by its id. */
export function simulatedFate(parcelId: string): SimulatedFate {
  let left = randomOf(`fate:${parcelId}`).next();
  for (const [fate, share] of FATES) {
    if (left < share) return fate;
    left -= share;
  }
  return 'found';
}

function randomOf(text: string): SeededRandom {
  return createSeededRandom(createHash('sha256').update(text).digest().readUInt32BE());
}

function phones(random: SeededRandom, screened: boolean): RawAnswer['phones'] {
  const count = random.between(1, 4);
  const made = Array.from({ length: count }, () => ({
    number: written(random, random.pick(AREA_CODES), String(random.between(100, 199))),
    type: random.pick(TYPES),
    carrier: random.pick(CARRIERS),
    dnc: screened ? listed(random) : ('unknown' as const),
  }));
  const impossible = { number: '(013) 555-01', type: null, carrier: null, dnc: 'unknown' as const };
  return random.chance(0.15) ? [...made, impossible] : made;
}

function listed(random: SeededRandom): DncStatus {
  const share = random.next();
  if (share < 0.25) return 'listed';
  return share < 0.33 ? 'unknown' : 'clear';
}

/** One number in one of the ways in which people write it. */
function written(random: SeededRandom, area: string, last: string): string {
  return random.pick([
    `(${area}) 555-0${last}`,
    `${area}.555.0${last}`,
    `${area}-555-0${last}`,
    `+1 ${area} 555 0${last}`,
    `1${area}5550${last}`,
    `${area}-555-0${last} ext. ${random.between(1, 40)}`,
  ]);
}

function emails(random: SeededRandom, ownerName: string): string[] {
  const words = ownerName.toLowerCase().match(/[a-z]+/g) ?? ['owner'];
  const host = random.pick(MAIL_HOSTS);
  const first = `${words.join('.')}@${host}`;
  const all = random.chance(0.3)
    ? [first, ` ${words.at(-1)}${random.between(1, 99)}@${host}`]
    : [first];
  if (random.chance(0.1)) return [...all, 'not known'];
  return random.chance(0.25)
    ? []
    : all.map((text) => (random.chance(0.3) ? text.toUpperCase() : text));
}
