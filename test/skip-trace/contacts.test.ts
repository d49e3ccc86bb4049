import { describe, expect, it } from 'vitest';
import { e164 } from '../../src/events/shapes/phone.ts';
import {
  callablePhones,
  contactFields,
  eventContactFields,
} from '../../src/orders/contact-fields.ts';
import { DNC_STATUSES, type Contacts, type PhoneDetail } from '../../src/orders/contacts.ts';
import { parsePhone } from '../../src/skip-trace/phone-number.ts';
import { readContacts } from '../../src/skip-trace/read-contacts.ts';
import { createSimulatedVendor } from '../../src/skip-trace/simulated-vendor.ts';
import { parseVendorResult } from '../../src/skip-trace/vendor-result.ts';
import { seededRandom } from '../support/random.ts';
import { RAW } from './tracing.ts';

/* What a vendor says, made into what is kept (spec §§2.3, 2.4). */

const read = (raw: object) => readContacts(parseVendorResult({ ...RAW, ...raw }));
const phone = (number: string, more: object = {}) => ({ number, dnc: 'clear', ...more });

describe('a number', () => {
  it.each([
    ['(713) 555-0142', '+17135550142'],
    ['713.555.0177', '+17135550177'],
    [' 713-555-0142 ', '+17135550142'],
    ['+1 713 555 0100', '+17135550100'],
    ['1-713-555-0142', '+17135550142'],
    ['7135550199', '+17135550199'],
    ['713-555-0142 ext. 12', '+17135550142'],
    ['7135550142x5', '+17135550142'],
    ['+44 20 7946 0958', '+442079460958'],
    ['tel:+17135550142', '+17135550142'],
    ['TEL:+1-713-555-0142;ext=5', '+17135550142'],
    ['tel:713-555-0142', '+17135550142'],
    ['+52 55 5555 0123', '+525555550123'],
  ])('%s is %s', (text, number) => {
    expect(parsePhone(text)).toEqual({ number });
    expect(e164.parse(number)).toBe(number);
  });

  it.each([
    ['', 'not_a_number'],
    ['none', 'not_a_number'],
    ['call me at (713) 555-0142', 'not_a_number'],
    ['555-0142', 'too_short'],
    ['911', 'too_short'],
    ['(013) 555-01', 'too_short'],
    ['713555014299999', 'too_long'],
    ['+45 123456789', 'too_long'],
    ['+45 1234567', 'too_short'],
    ['+682 123456', 'too_long'],
    ['+7 123456', 'too_short'],
    ['+47 123456', 'invalid_length'],
    ['tel:7135550142;phone-context=+1', 'not_a_number'],
    ['7135550142;phone-context=example.com', 'not_a_number'],
    ['+17135550142;Phone-Context=+1', 'not_a_number'],
    ['constructor', 'not_a_number'],
    ['(013) 555-0142', 'invalid_number'],
    ['(713) 155-0142', 'invalid_number'],
    ['(000) 000-0000', 'invalid_number'],
    ['+999 123456', 'invalid_country'],
    ['+0 713 555 0142', 'invalid_country'],
    // Valid in Iran, and shorter than any number of the payloads may be.
    ['+98 9105', 'invalid_number'],
  ])('%s is refused: %s', (text, refused) => {
    expect(parsePhone(text)).toEqual({ refused });
  });
});

describe('an answer', () => {
  it('is read: numbers in E.164, addresses in small letters', () => {
    expect(read({})).toEqual({
      contacts: {
        phone_details: [
          {
            ...{ number: '+17135550142', type: 'mobile', carrier: 'Example Wireless' },
            ...{ dnc: false, dnc_status: 'clear' },
          },
          {
            ...{ number: '+17135550177', type: 'landline', carrier: null },
            ...{ dnc: true, dnc_status: 'listed' },
          },
        ],
        emails: ['ada.quillfeather@example.com'],
        ...{ dnc_screened: true, litigator: false, traced_at: RAW.traced_at },
      },
      refused: [],
    });
  });

  it('keeps what is good and tells what is not, by its place and reason only', () => {
    const { contacts, refused } = read({
      phones: [phone('nobody'), phone('713-555-0142'), phone('555-0142')],
      emails: ['ada@example.com', 'not known', 'x@y'],
    });
    expect(contacts.phone_details.map(({ number }) => number)).toEqual(['+17135550142']);
    expect(contacts.emails).toEqual(['ada@example.com']);
    expect(refused).toStrictEqual([
      { kind: 'phone', index: 0, reason: 'not_a_number' },
      { kind: 'phone', index: 2, reason: 'too_short' },
      { kind: 'email', index: 1, reason: 'not_an_address' },
      { kind: 'email', index: 2, reason: 'not_an_address' },
    ]);
  });

  it('has each number and address once, in the order in which they came first', () => {
    const { contacts, refused } = read({
      phones: [phone('713-555-0142'), phone('713-555-0100'), phone('(713) 555-0142 x9')],
      emails: ['b@example.com', 'A@example.com', ' a@EXAMPLE.com'],
    });
    expect(contacts.phone_details.map(({ number }) => number)).toEqual([
      ...['+17135550142', '+17135550100'],
    ]);
    expect(contacts.emails).toEqual(['b@example.com', 'a@example.com']);
    expect(refused).toEqual([]);
  });

  it.each([
    ['clear', 'listed', 'listed'],
    ['listed', 'clear', 'listed'],
    ['clear', 'unknown', 'unknown'],
    ['unknown', 'listed', 'listed'],
    ['clear', 'clear', 'clear'],
  ])('takes the more careful word on a number: %s and %s is %s', (one, other, expected) => {
    const phones = [phone('7135550142', { dnc: one }), phone('713 555 0142', { dnc: other })];
    const [detail] = read({ phones }).contacts.phone_details;
    expect(detail).toMatchObject({ dnc_status: expected, dnc: expected === 'listed' });
  });

  it('knows no status when there was no scrub, whatever the vendor says', () => {
    const phones = DNC_STATUSES.map((dnc, i) => phone(`713-555-010${i}`, { dnc }));
    const { contacts } = read({ phones, dnc_screened: false });
    expect(contacts.dnc_screened).toBe(false);
    for (const detail of contacts.phone_details) {
      expect(detail).toMatchObject({ dnc: false, dnc_status: 'unknown' });
    }
    expect(callablePhones(contacts)).toBe(0);
  });

  it.each([
    ['Mobile', 'mobile'],
    ['wireless', 'mobile'],
    ['LANDLINE', 'landline'],
    ['VoIP', 'voip'],
    ['pager', 'unknown'],
    [null, 'unknown'],
    [undefined, 'unknown'],
    [7, 'unknown'],
    ['constructor', 'unknown'],
    ['__proto__', 'unknown'],
    ['hasOwnProperty', 'unknown'],
  ])('calls a line that is "%s" %s', (type, expected) => {
    const { contacts } = read({ phones: [phone('7135550142', { type })] });
    expect(contacts.phone_details[0]?.type).toBe(expected);
  });

  it('has cleared numbers first, then unknown ones, then listed ones, else in their order', () => {
    const words = ['listed', 'unknown', 'clear', 'listed', 'clear', 'unknown'];
    const phones = words.map((dnc, i) => phone(`713-555-010${i}`, { dnc }));
    const { contacts } = read({ phones });
    const last = contacts.phone_details.map(({ number }) => number.slice(-1));
    expect(last).toEqual(['2', '4', '1', '5', '0', '3']);
    expect(contactFields(contacts)).toMatchObject({
      ...{ phone_primary: '+17135550102', phone_secondary: '+17135550104', callable_phones: 2 },
    });
  });

  it('is not cleared any more by a more careful word that comes later', () => {
    const phones = [phone('713-555-0100'), phone('713-555-0101'), phone('713-555-0100')];
    const { contacts } = read({ phones: phones.with(2, phone('7135550100', { dnc: 'listed' })) });
    expect(contactFields(contacts).phone_primary).toBe('+17135550101');
  });

  describe('with odd elements goes through without them', () => {
    it.each([
      ['LISTED', 'listed'],
      [' Clear ', 'clear'],
      ['maybe', 'unknown'],
      ['', 'unknown'],
      [null, 'unknown'],
      [true, 'unknown'],
      [undefined, 'unknown'],
    ])('a do-not-call status that is %j is %s', (dnc, expected) => {
      const { contacts, refused } = read({ phones: [{ number: '713-555-0142', dnc }] });
      expect(contacts.phone_details).toMatchObject([{ dnc_status: expected }]);
      expect(refused).toEqual([]);
    });

    it.each([
      [null, 'not_text'],
      [undefined, 'not_text'],
      [7135550142, 'not_text'],
      [{ e164: '+17135550142' }, 'not_text'],
      ['7'.repeat(101), 'too_long'],
    ])('a number that is %j is refused: %s', (number, reason) => {
      const { contacts, refused } = read({ phones: [{ number, dnc: 'clear' }, ...RAW.phones] });
      expect(contacts.phone_details).toHaveLength(2);
      expect(refused).toEqual([{ kind: 'phone', index: 0, reason }]);
    });

    it.each([[null], ['713-555-0142'], [[]], [7]])('a phone that is %j is refused', (odd) => {
      const { contacts, refused } = read({ phones: [...RAW.phones, odd] });
      expect(contacts.phone_details).toHaveLength(2);
      expect(refused).toEqual([{ kind: 'phone', index: 2, reason: 'not_text' }]);
    });

    it.each([
      [null, 'not_text'],
      [7, 'not_text'],
      ['nobody', 'not_an_address'],
      ['a'.repeat(401), 'too_long'],
    ])('an address that is %j is refused: %s', (odd, reason) => {
      const { contacts, refused } = read({ emails: [odd, ...RAW.emails] });
      expect(contacts.emails).toEqual(['ada.quillfeather@example.com']);
      expect(refused).toEqual([{ kind: 'email', index: 0, reason }]);
    });

    it('no carrier of one that is too long or no text', () => {
      for (const carrier of ['x'.repeat(201), 7, {}]) {
        const { contacts } = read({ phones: [phone('7135550142', { carrier })] });
        expect(contacts.phone_details).toMatchObject([{ carrier: null, dnc_status: 'clear' }]);
      }
    });

    it('no litigator of null, no addresses of null and of nothing', () => {
      expect(read({ litigator: null }).contacts.litigator).toBe(false);
      expect(read({ litigator: undefined }).contacts.litigator).toBe(false);
      for (const emails of [null, undefined]) {
        expect(read({ emails }).contacts.emails).toEqual([]);
      }
    });

    it('the first fifty numbers and addresses; the others are refused', () => {
      const two = (i: number) => String(i).padStart(2, '0');
      const { contacts, refused } = read({
        phones: Array.from({ length: 53 }, (_, i) => phone(`713-555-01${two(i)}`)),
        emails: Array.from({ length: 51 }, (_, i) => `a${i}@example.com`),
      });
      expect(contacts.phone_details).toHaveLength(50);
      expect(contacts.emails).toHaveLength(50);
      expect(refused).toEqual([
        ...[50, 51, 52].map((index) => ({ kind: 'phone', index, reason: 'too_many' })),
        { kind: 'email', index: 50, reason: 'too_many' },
      ]);
    });
  });

  it('tells the time in UTC', () => {
    const at = (traced_at: string) => read({ traced_at }).contacts.traced_at;
    expect(at('2026-02-02T22:05:06.5-06:00')).toBe('2026-02-03T04:05:06.500Z');
    expect(at('2026-02-03T04:05:06.000007Z')).toBe('2026-02-03T04:05:06.000007Z');
  });

  it.each([
    ['no object', null, 'input'],
    ['no phones', { ...RAW, phones: undefined }, 'phones'],
    ['a litigator by another word', { ...RAW, litigator: 'perhaps' }, 'litigator'],
    ['a list', [RAW], 'input'],
    ['no word on the scrub', { ...RAW, dnc_screened: undefined }, 'dnc_screened'],
    ['a day that is none', { ...RAW, traced_at: '2026-02-30' }, 'traced_at'],
    ['year 9999', { ...RAW, traced_at: '9999-12-31T23:59:59-12:00' }, 'traced_at'],
    ['a thousand numbers', { ...RAW, phones: Array(1_001).fill(phone('1')) }, 'phones'],
    ['addresses that are no list', { ...RAW, emails: 'a@example.com' }, 'emails'],
  ])('of the wrong shape is refused, by its field: %s', (_fault, raw, field) => {
    const error = (() => {
      try {
        parseVendorResult(raw);
      } catch (thrown) {
        return thrown;
      }
      return undefined;
    })();
    expect(error).toMatchObject({ code: 'bad_request', field });
    expect(String(error)).not.toMatch(/7135550142|maybe|2026-02-03|a@example/);
  });
});

describe('how many numbers may be called (spec §2.3)', () => {
  const detail = (dnc_status: PhoneDetail['dnc_status']): PhoneDetail => ({
    ...{ number: '+17135550100', type: 'mobile', carrier: null },
    ...{ dnc: dnc_status === 'listed', dnc_status },
  });

  it('those that are cleared, none of a known litigator: all combinations of three numbers', () => {
    for (const one of DNC_STATUSES) {
      for (const two of DNC_STATUSES) {
        for (const three of DNC_STATUSES) {
          for (const litigator of [false, true]) {
            const statuses = [one, two, three];
            const contacts: Contacts = {
              ...{ phone_details: statuses.map(detail), emails: [], litigator },
              ...{ dnc_screened: true, traced_at: RAW.traced_at },
            };
            const clear = statuses.filter((status) => status === 'clear').length;
            const label = `${statuses.join()} ${litigator}`;
            expect(callablePhones(contacts), label).toBe(litigator ? 0 : clear);
            expect(contactFields(contacts).callable_phones, label).toBe(litigator ? 0 : clear);
          }
        }
      }
    }
  });

  it('an event for a plan without contacts has none, and says so in every field', () => {
    const { contacts } = read({ litigator: true });
    expect(eventContactFields(contacts, false)).toEqual({
      ...{ phones: [], phone_details: [], emails: [], callable_phones: 0 },
      ...{ phone_primary: null, phone_secondary: null, email_primary: null },
      ...{ dnc_screened: true, litigator: true, traced_at: RAW.traced_at },
    });
  });
});

it('random answers: E.164, each once, and what is missing is accounted for', () => {
  const random = seededRandom();
  const digits = () => Array.from({ length: 6 + random.integer(8) }, () => random.integer(10));
  for (let round = 0; round < 400; round += 1) {
    const phones = Array.from({ length: random.integer(12) }, () =>
      phone(
        random.pick([
          () => `(713) 555-01${10 + random.integer(90)}`,
          () => `${digits().join('')}`,
          () => `+${digits().join(' ')}`,
          () => random.pick(['', '☎', 'n/a', '\u0000', '٧١٣٥٥٥٠١٤٢']),
        ])(),
        { dnc: random.pick(DNC_STATUSES) },
      ),
    );
    const { contacts, refused } = read({ phones, dnc_screened: random.next() < 0.8 });
    const found = contacts.phone_details.map(({ number }) => number);
    expect(new Set(found).size, random.description).toBe(found.length);
    expect(found.length + refused.length, random.description).toBeLessThanOrEqual(phones.length);
    for (const detail of contacts.phone_details) {
      expect(detail.number, random.description).toMatch(/^\+[1-9]\d{6,14}$/);
      expect(detail.dnc).toBe(detail.dnc_status === 'listed');
      if (!contacts.dnc_screened) expect(detail.dnc_status).toBe('unknown');
    }
    for (const { index } of refused) {
      expect(parsePhone(phones[index]!.number)).toHaveProperty('refused');
    }
  }
});

it('the simulated vendor: the same for the same parcel, fictitious, and of every kind', async () => {
  const vendor = createSimulatedVendor(() => new Date('2026-02-03T04:05:06Z'));
  const seen = new Set<string>();
  let errors = 0;
  for (let i = 0; i < 400; i += 1) {
    const request = {
      ...{ orderId: `ord_${i}`, parcelId: `cedar:${i}`, ownerName: 'Ada Bell' },
      ...{ address: '', city: '', zip: '', mailingAddress: '' },
      signal: AbortSignal.timeout(5_000),
    };
    const ask = () => vendor.trace(request);
    const raw = await ask().catch(() => {
      errors += 1;
      return ask();
    });
    const { contacts, refused } = readContacts(parseVendorResult(raw));
    for (const { number } of contacts.phone_details) expect(number).toMatch(/^\+1\d{3}55501\d\d$/);
    for (const email of contacts.emails) expect(email).toMatch(/@example\.(com|net|org)$/);
    const again = await vendor.trace({ ...request, orderId: 'other' }).catch(() => raw);
    expect(again).toEqual(raw);
    if (contacts.phone_details.length === 0) seen.add('nothing');
    if (contacts.litigator) seen.add('litigator');
    if (!contacts.dnc_screened) seen.add('unscreened');
    for (const { reason } of refused) seen.add(reason);
    for (const { dnc_status, type } of contacts.phone_details) seen.add(dnc_status).add(type);
  }
  expect(errors).toBeGreaterThan(0);
  for (const kind of ['nothing', 'litigator', 'unscreened', 'too_short', 'not_an_address']) {
    expect(seen).toContain(kind);
  }
  for (const kind of ['clear', 'listed', 'mobile', 'landline', 'voip'])
    expect(seen).toContain(kind);
});
