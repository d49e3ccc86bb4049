import { listParcels, saveParcel } from '../parcels/parcels.ts';
import type { Command } from './command.ts';
import { withService } from './context.ts';
import { table } from './table.ts';

export const parcelAdd: Command = {
  name: 'parcel add',
  summary: 'add a parcel, or bring its address up to date',
  options: {
    county: { value: 'id', help: 'county id', required: true },
    'account-num': { value: 'number', help: "the county's number of the parcel", required: true },
    address: { value: 'text', help: 'full property address', required: true },
    city: { value: 'text', help: 'city', required: true },
    zip: { value: 'code', help: 'ZIP code', required: true },
  },
  run: (input) =>
    withService(input, async ({ db }) => {
      const { 'account-num': account_num, ...fields } = input.options;
      const parcel = await saveParcel(db, { ...fields, account_num });
      return { json: parcel, text: `${parcel.id}  ${parcel.address}` };
    }),
};

export const parcelList: Command = {
  name: 'parcel list',
  summary: 'show the first 50 parcels',
  run: (input) =>
    withService(input, async ({ db }) => {
      const parcels = await listParcels(db, 50);
      const rows = parcels.map(({ id, address }) => [id, address]);
      return { json: parcels, text: table(['parcel', 'address'], rows) };
    }),
};
