import type { ParcelFields } from '../parcels/parcel-fields.ts';

/** The parcel that the start screen's suggestions are about. */
export const SUGGESTED_PARCEL = 'maple:0100-01';

/** Five parcels with numbers that are easy to type: hot, warm, moderate, cold and warm on a day. */
export function firstDemoParcels(day: string): ParcelFields[] {
  const year = Number(day.slice(0, 4));
  const ago = (days: number) =>
    new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);
  const at = (street: string, city: string, zip: string, lng: number, lat: number) => {
    return { address: `${street}, ${city}, TX ${zip}`, city, zip, state: 'TX', lng, lat };
  };
  return [
    {
      ...{ county: 'maple', account_num: '0100-01' },
      ...at('12 Alder Ct', 'Millbrook', '75010', -96.9083, 33.1177),
      owner_name: 'Estate of Lucille Foster',
      ...{ mailing_address: '4410 Heron Ave, Denver, CO 80206', mailing_state: 'CO' },
      ...{ owner_occupied: false, owned_since: ago(11_400), free_and_clear: true },
      ...{ vacant: true, probate_filed_on: ago(95) },
    },
    {
      ...{ county: 'maple', account_num: '0100-02' },
      ...at('48 Birchwood Ave', 'Millbrook', '75010', -96.9121, 33.1236),
      owner_name: 'Harold and Ruth Gibson',
      ...{ mailing_address: '48 Birchwood Ave, Millbrook, TX 75010', mailing_state: 'TX' },
      ...{ owned_since: ago(10_100), free_and_clear: true, owner_birth_year: year - 78 },
      ...{ tax_delinquent_years: 2, open_code_violations: 1 },
    },
    {
      ...{ county: 'maple', account_num: '0100-03' },
      ...at('305 Cedar Hollow Rd', 'Fairhaven', '75022', -97.0572, 33.0521),
      owner_name: 'Hackberry Ridge Rentals LLC',
      ...{ mailing_address: 'PO Box 881, Plano, TX 75074', mailing_state: 'TX' },
      ...{ owner_occupied: false, owned_since: ago(6_300), free_and_clear: true, vacant: true },
    },
    {
      ...{ county: 'maple', account_num: '0100-04' },
      ...at('7 Dogwood Ln', 'Fairhaven', '75022', -97.0648, 33.0467),
      owner_name: 'Priya Patel',
      ...{ mailing_address: '7 Dogwood Ln, Fairhaven, TX 75022', mailing_state: 'TX' },
      ...{ owned_since: ago(1_900), owner_birth_year: year - 41 },
    },
    {
      ...{ county: 'maple', account_num: '0100-05' },
      ...at('1919 Elmhurst Blvd', 'Millbrook', '75011', -96.8964, 33.1041),
      owner_name: 'Curtis Hayes',
      ...{ mailing_address: '702 Pecan St, Waco, TX 76710', mailing_state: 'TX' },
      ...{ owner_occupied: false, owned_since: ago(2_600), owner_birth_year: year - 52 },
      ...{ foreclosure_notice_on: ago(60), tax_delinquent_years: 1, open_code_violations: 1 },
    },
  ];
}
