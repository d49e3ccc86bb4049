import { describe, expect, test } from 'vitest';
import { readStreet } from '../../src/parcels/street-key.ts';

/** Each line holds spellings of one house on one street, and the form they all have. */
const SAME: Record<string, string[]> = {
  '1204 ALDERCREEK LN': [
    '1204 Alder Creek Ln',
    '1204 ALDER CREEK LANE',
    '  1204   alder  creek   ln. ',
    '1204 Alder Creek Ln, Millbrook, TX 75010',
    '1204 Alder Creek Ln\nMillbrook, TX 75010',
    '1204 Alder Creek Ln Apt 4',
    '1204 Alder Creek Lane #4',
    '1204 Alder Creek Lane # 4',
    '1204 Alder Creek Ln Unit B',
    '1204 Alder Creek Ln, Unit B, Millbrook',
    '1204 Alder Creek Ln Ste 200, Millbrook, TX 75010-1234',
    '1204 Alder Creek Ln Bldg 3 Apt 12B',
    '1204 Alder Creek Ln 2nd Floor',
    '1204 Alder Creek Ln Floor 2',
    '1204 Alder Creek Ln Rear',
    '1204 Alder Creek Ln 4',
    '1204 Alder-Creek Ln',
    'Apt 4, 1204 Alder Creek Ln',
    '#4, 1204 Alder Creek Ln',
    '01204 Aldercreek Ln',
  ],
  '100 N MAIN ST': ['100 N Main St', '100 North Main Street', '100 N. MAIN ST.', '100 n main str'],
  '100 MAIN ST NW': ['100 Main St NW', '100 Main Street Northwest', '100 Main St N.W.'],
  '12 1/2 MAIN ST': ['12 1/2 Main St', '12½ Main Street', '12-1/2 Main St #4'],
  '12B ELM ST': ['12B Elm St', '12-B Elm Street', '12b Elm St'],
  '100-102 ELM ST': ['100-102 Elm St', '100-102 ELM STREET'],
  '12-34 56TH AVE': ['12-34 56th Ave', '12-34 56TH AVENUE'],
  'W123N456 ELM ST': ['W123N456 Elm St', 'w123n456 Elm Street'],
  '14 5TH ST': ['14 5th St', '14 Fifth Street'],
  '77 SAINTJOHNS AVE': ['77 St Johns Ave', "77 Saint John's Avenue", '77 St. Johns Av'],
  '9 MOUNTVERNON BLVD': ['9 Mt Vernon Blvd', '9 Mount Vernon Boulevard'],
  '1200 S LAKESHORE DR': ['1200 S Lake Shore Dr', '1200 South Lakeshore Drive'],
  '305 CEDARHOLLOW RD': ['305 Cedar Hollow Rd', '305 Cedar Hollow Road'],
  '17 21ST ST': ['17 21st St', '17 Twenty-First St', '17 Twenty First Street'],
  '14 AVEOFTHEAMERICAS': ['14 Ave of the Americas', '14 Avenue of the Americas, Fl 3'],
  '9 MARTINLUTHERKINGJR BLVD': [
    '9 Martin Luther King Jr Blvd',
    '9 Martin Luther King Junior Boulevard',
  ],
  '7301 N RM 620': ['7301 N RM 620', '7301 North Ranch to Market Road 620', '7301 N RM 620 Apt 4'],
  '7301 RM 620 N': ['7301 RM 620 N', '7301 RM 620 Rd North Bldg 4', '7301 R.M. # 620 N'],
  '200 COUNTY RD 5': ['200 County Rd No 5', '200 CR 5', '200 County Road Number 5 Lot 12'],
  '300 HWY 6': ['300 Hwy Number 6', '300 Highway 6', '300 Hwy # 6', '300 Hwy 6 # 12'],
  '100 STATE LOOP 12': ['100 State Loop # 12', '100 State Loop 12'],
  '100 STATE ST': ['100 State St', '100 State St #4', '100 State Street Apt 4-B'],
  '100 COUNTY RD 305': [
    ...['100 County Road 305', '100 CR 305', '100 Co Rd 305', '100 County Road #305'],
    ...['100 County Road # 305', '100 County Rd. No. 305', '100 CR 305 # 4'],
  ],
  '4120 FM 1960 W': ['4120 FM 1960 W', '4120 FM 1960 Rd W', '4120 Farm to Market Road 1960 West'],
  '500 STATE HWY 6 S': ['500 State Hwy 6 S', '500 State Highway 6 South', '500 SH-6 S'],
  '500 I 35': ['500 IH 35', '500 I-35', '500 Interstate 35', '500 Interstate Highway 35'],
  '500 US HWY 290': ['500 US 290', '500 U.S. Highway 290', '500 US-290'],
  '1 AVE A': ['1 Avenue A', '1 Ave A'],
  '500 E AVE K': ['500 E Ave K', '500 East Avenue K'],
  '100 NORTH ST': ['100 North St', '100 North Street'],
  '100 BROADWAY': ['100 Broadway', '100 BROADWAY APT 4'],
  '100 THESTRAND': ['100 The Strand', '100 The Strand Unit 4'],
  '100 SPACECENTER BLVD': ['100 Space Center Blvd', '100 Space Center Boulevard Ste C'],
  '100 FRONT ST': ['100 Front St', '100 Front Street, Rear'],
  '8 CANON DR': ['8 Cañon Dr', '8 Canon Drive'],
};

describe.each(Object.entries(SAME))('%s', (form, spellings) => {
  test.each(spellings)('%s', (spelling) => {
    const { houseNumber, streetKey } = readStreet(spelling) ?? {};
    expect(`${houseNumber} ${streetKey}`).toBe(form);
  });
});

test.each([
  ['1 Avenue A', '1 Avenue B'],
  ['100 CR 305', '100 CR 306'],
  ['100 FM 1960', '100 FM 1961'],
  ['100 Main St', '100 Main Ave'],
  ['100 N Main St', '100 S Main St'],
  ['100 N Main St', '100 Main St'],
  ['100 Main St', '100 Main'],
  ['100 Elm Cove', '100 Elm Coves'],
  ['100 Elm St', '100 1/2 Elm St'],
  ['100 Elm St', '100A Elm St'],
  ['100 Elm St', '1000 Elm St'],
  ['100 Hwy 6', '100 Hwy 60'],
  ['7301 N RM 620', '7301 N RM 2222'],
  ['7301 N RM 620', '7301 N'],
  ['100 County Road #305', '100 County Road #410'],
  ['100 County Road #305', '100 County Road'],
  ['200 County Rd No 5', '200 County Rd No 9'],
  ['300 Hwy Number 6', '300 Hwy Number 7'],
  ['50 Old No 5 Rd', '50 Old No 7 Rd'],
  ['50 Pine No 5 Rd', '50 Pine Rd'],
  ['100 N # 5', '100 N # 6'],
  ['12 Alder Ct 75010', '12 Alder Ct 75999'],
  ['12 Alder Ct 75010', '12 Alder Ct'],
  ['100 North St', '100 N North St'],
])('%s is not %s', (one, other) => {
  expect(readStreet(one)).toBeDefined();
  expect(readStreet(one)).not.toEqual(readStreet(other));
});

test.each([
  ...[
    '',
    ' ',
    'PO Box 12',
    'Elm St',
    '5th St',
    'Corner of Main and Elm',
    '0 Main St',
    '00 Main St',
  ],
  ...['1204', '#4', 'Apt 4', 'Millbrook, 12 Elm St', '12 #4', '12 Apt # 4', ','.repeat(1000)],
])('%j has no house number and street', (address) => {
  expect(readStreet(address)).toBeUndefined();
});

test('reads what is read: a key is its own key', () => {
  for (const spelling of Object.values(SAME).flat()) {
    const { houseNumber, streetKey } = readStreet(spelling)!;
    expect(readStreet(`${houseNumber} ${streetKey}`)).toEqual({ houseNumber, streetKey });
  }
});

test('long input takes no long time', () => {
  const started = performance.now();
  readStreet('1'.repeat(100_000));
  readStreet(`12 ${'A '.repeat(100_000)}`);
  readStreet('N1N1N1'.repeat(10_000));
  expect(performance.now() - started).toBeLessThan(200);
});
