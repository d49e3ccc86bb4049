import { z } from 'zod';
import { parseInput } from '../input.ts';
import { isOneLine, ONE_LINE } from '../one-line.ts';
import { STATE_CODES } from './us-states.ts';

/*
 * What can be said about a parcel from outside: by a program, by a cell of a CSV file or by an option
 * of the command line. The latter two bring everything as text.
 */

/** Text on one line; lines of an address that spans several are joined with `joiner`. */
const line = (most: number, joiner = ' ') =>
  z
    .string()
    .transform((text) => text.trim().replaceAll(/\s*[\r\n]+\s*/g, joiner))
    .pipe(z.string().max(most, `must have at most ${most} characters`).refine(isOneLine, ONE_LINE));

const some = (schema: ReturnType<typeof line>) =>
  schema.pipe(z.string().min(1, 'must not be empty'));

const state = z
  .string()
  .trim()
  .toUpperCase()
  .refine((text) => STATE_CODES.has(text), 'must be a state in two letters, such as TX');

/** A calendar day, YYYY-MM-DD. */
const day = z
  .string()
  .trim()
  .pipe(
    z.iso
      .date({ error: 'must be a date, YYYY-MM-DD' })
      .refine((text) => /^(19|20|21)/.test(text), 'must be a date from 1900 to 2199'),
  );

const YES_OR_NO: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, y: true, '1': true },
  ...{ false: false, no: false, n: false, '0': false },
};

const yesOrNo = z.preprocess(
  (value) => (typeof value === 'string' ? (YES_OR_NO[value.trim().toLowerCase()] ?? value) : value),
  z.boolean({ error: 'must be yes or no (or true, false, 1, 0)' }),
);

const wholeNumber = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.preprocess(
    (value) =>
      typeof value === 'string' && /^\d{1,6}$/.test(value.trim()) ? Number(value) : value,
    z.int({ error }).min(least, error).max(most, error),
  );
};

/** A coordinate in degrees. */
const degrees = (most: number) => {
  const error = `must be a number of degrees from -${most} to ${most}`;
  return z.preprocess(
    (value) =>
      typeof value === 'string' && /^-?\d{1,3}(\.\d{1,15})?$/.test(value.trim())
        ? Number(value)
        : value,
    z.number({ error }).min(-most, error).max(most, error),
  );
};

/** How a county is called in parcel ids. */
export const countyId = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/, 'must be up to 40 lower-case letters, digits and hyphens');

export const zipCode = z
  .string()
  .trim()
  .regex(/^\d{5}(-\d{4})?$/, 'must be a ZIP code, 77018 or 77018-1234');

export const cityName = some(line(100));

/** The fields that every parcel has. */
const required = {
  county: countyId,
  account_num: z
    .string()
    // A path of dots alone (`/v1/leads/oak/..`) cannot be asked for.
    .regex(
      /^(?=.*[A-Za-z0-9])[A-Za-z0-9.-]{1,40}$/,
      'must be up to 40 letters, digits, dots and hyphens, with a letter or digit among them',
    ),
  address: some(line(300, ', ')),
  city: cityName,
  zip: zipCode,
};

/** What may be known besides: null clears a field, one that is not given stays as it is. */
const optional = {
  state: state.nullable().optional(),
  lng: degrees(180).nullable().optional(),
  lat: degrees(90).nullable().optional(),
  owner_name: line(200).nullable().optional(),
  mailing_address: line(300, ', ').nullable().optional(),
  mailing_state: state.nullable().optional(),
  owner_occupied: yesOrNo.nullable().optional(),
  owned_since: day.nullable().optional(),
  free_and_clear: yesOrNo.nullable().optional(),
  owner_birth_year: wholeNumber(1900, 2199).nullable().optional(),
  vacant: yesOrNo.nullable().optional(),
  probate_filed_on: day.nullable().optional(),
  foreclosure_notice_on: day.nullable().optional(),
  tax_delinquent_years: wholeNumber(0, 99).nullable().optional(),
  open_code_violations: wholeNumber(0, 999).nullable().optional(),
};

/** The fields of a parcel, of all that there are. */
export const parcelFields = z
  .strictObject({ ...required, ...optional })
  .superRefine(({ lng, lat }, context) => {
    if ((lng === undefined) === (lat === undefined) && (lng === null) === (lat === null)) return;
    const [missing, given] = typeof lat === 'number' ? ['lng', 'lat'] : ['lat', 'lng'];
    context.addIssue({ code: 'custom', path: [missing], message: `is needed beside ${given}` });
  });

export type ParcelFields = z.output<typeof parcelFields>;
export type ParcelField = keyof ParcelFields;

export const REQUIRED_PARCEL_FIELDS = Object.keys(required) as ParcelField[];
export const OPTIONAL_PARCEL_FIELDS = Object.keys(optional) as ParcelField[];
export const PARCEL_FIELDS = [...REQUIRED_PARCEL_FIELDS, ...OPTIONAL_PARCEL_FIELDS];

/** Checks what comes from outside; a fault is a `bad_request` that names the field. */
export function parseParcelFields(input: unknown): ParcelFields {
  return parseInput(parcelFields, input);
}

/** A record with texts (a row of a file, options) as input: an empty text clears its field. */
export function parcelFieldsFromText(texts: Readonly<Record<string, string>>): unknown {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const clears = text.trim() === '' && !(name in required);
      return [name, clears ? null : text];
    }),
  );
}
