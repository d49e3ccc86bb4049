import { importParcels } from '../parcels/import-parcels.ts';
import {
  OPTIONAL_PARCEL_FIELDS,
  parcelFieldsFromText,
  REQUIRED_PARCEL_FIELDS,
} from '../parcels/parcel-fields.ts';
import { listParcels, saveParcel } from '../parcels/parcels.ts';
import { UsageError, type Command, type OptionSpec } from './command.ts';
import { withService } from './context.ts';
import { optionName } from './option-name.ts';
import { createProgressLine } from './progress-line.ts';
import { table } from './table.ts';

/** Of each field: what its value is, and what the field is. */
const FIELD_HELP: Readonly<Record<string, readonly [value: string, help: string]>> = {
  county: ['id', 'county id'],
  account_num: ['number', "the county's number of the parcel"],
  address: ['text', 'full property address'],
  city: ['text', 'city'],
  zip: ['code', 'ZIP code'],
  state: ['letters', 'state of the property, two letters (TX)'],
  lng: ['degrees', 'longitude, as in --lng=-96.9; beside --lat'],
  lat: ['degrees', 'latitude; beside --lng'],
  owner_name: ['text', "the owner's name"],
  mailing_address: ['text', "the owner's mailing address"],
  mailing_state: ['letters', 'state of the mailing address, two letters'],
  owner_occupied: ['yes|no', 'whether the owner lives there (yes)'],
  owned_since: ['YYYY-MM-DD', 'since when the owner has it'],
  free_and_clear: ['yes|no', 'whether no mortgage is on record (no)'],
  owner_birth_year: ['year', "the owner's year of birth"],
  vacant: ['yes|no', 'whether the building is vacant (no)'],
  probate_filed_on: ['YYYY-MM-DD', 'when probate was opened'],
  foreclosure_notice_on: ['YYYY-MM-DD', 'when foreclosure was announced'],
  tax_delinquent_years: ['number', 'years of unpaid property tax (0)'],
  open_code_violations: ['number', 'open code violations (0)'],
};

export const parcelAdd: Command = {
  name: 'parcel add',
  summary: 'add a parcel, or bring it up to date (an empty text clears a field), and score it',
  options: { ...options(REQUIRED_PARCEL_FIELDS, true), ...options(OPTIONAL_PARCEL_FIELDS, false) },
  run: (input) =>
    withService(input, async ({ db }) => {
      const given = Object.entries(input.options).map(([name, value]) => [
        name.replaceAll('-', '_'),
        value,
      ]);
      const fields = parcelFieldsFromText(Object.fromEntries(given));
      const parcel = await saveParcel(db, fields);
      return { json: parcel, text: `${parcel.id}  ${parcel.address}  score ${parcel.score}` };
    }),
};

export const parcelImport: Command = {
  name: 'parcel import',
  summary: 'add parcels from a CSV file, or bring them up to date: all or none (docs/importing.md)',
  args: ['file'],
  run(input) {
    const file = input.args['file'] ?? '';
    if (file === '') throw new UsageError('<file> is empty');
    return withService(input, async ({ db }) => {
      const line = createProgressLine();
      try {
        const { parcels } = await importParcels(db, file, ({ phase, rows, fraction }) =>
          line.show(phase, fraction, `${rows.toLocaleString('en-US')} rows`),
        );
        line.clear();
        return { json: { parcels }, text: `${parcels.toLocaleString('en-US')} parcels imported` };
      } catch (error) {
        line.clear();
        throw error;
      }
    });
  },
};

export const parcelList: Command = {
  name: 'parcel list',
  summary: 'show the first 50 parcels',
  run: (input) =>
    withService(input, async ({ db }) => {
      const parcels = await listParcels(db, 50);
      const rows = parcels.map(({ id, score, address }) => [id, String(score), address]);
      return { json: parcels, text: table(['parcel', 'score', 'address'], rows) };
    }),
};

function options(fields: readonly string[], required: boolean): Record<string, OptionSpec> {
  return Object.fromEntries(
    fields.map((field) => {
      const [value, help] = FIELD_HELP[field] ?? ['text', field.replaceAll('_', ' ')];
      return [optionName(field), { value, help, required }];
    }),
  );
}
