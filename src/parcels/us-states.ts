/** The states, districts and military regions of postal addresses: two letters and the name. */
const STATES = `
AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware
FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky
LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri
MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York
NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|RI Rhode Island
SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|WA Washington
WV West Virginia|WI Wisconsin|WY Wyoming|DC District of Columbia|AS American Samoa|GU Guam
MP Northern Mariana Islands|PR Puerto Rico|VI Virgin Islands|AA|AE|AP`;

const PAIRS = STATES.trim()
  .split(/[|\n]/)
  .map((pair) => [pair.slice(0, 2), pair.slice(3)] as const);

/** Two letters each. */
export const STATE_CODES: ReadonlySet<string> = new Set(PAIRS.map(([code]) => code));

/** Two letters by the name in upper-case. */
export const STATE_CODE_OF_NAME: ReadonlyMap<string, string> = new Map(
  PAIRS.filter(([, name]) => name !== '').map(([code, name]) => [name.toUpperCase(), code]),
);
