import type postgres from 'postgres';

/** Element and array type of what PostgreSQL ships with; these numbers are fixed for good. */
const ARRAY_TYPES: readonly (readonly [element: number, array: number])[] = [
  [16, 1000], // bool
  [17, 1001], // bytea
  [20, 1016], // int8
  [21, 1005], // int2
  [23, 1007], // int4
  [25, 1009], // text
  [26, 1028], // oid
  [114, 199], // json
  [700, 1021], // float4
  [701, 1022], // float8
  [1042, 1014], // bpchar
  [1043, 1015], // varchar
  [1082, 1182], // date
  [1083, 1183], // time
  [1114, 1115], // timestamp
  [1184, 1185], // timestamptz
  [1700, 1231], // numeric
  [2950, 2951], // uuid
  [3802, 3807], // jsonb
];

type Parse = (text: string) => unknown;
type Serialize = (value: unknown) => unknown;

/**
 * Teaches a postgres.js client the built-in array types, as its `fetch_types` would. That option
 * asks each new connection for them, and a connection lost just then is an unhandled rejection
 * that ends the process. Arrays of other types arrive as text.
 */
export function registerArrayTypes(options: postgres.ParsedOptions): void {
  // postgres.js keeps the array type to use for an element type in an undocumented place.
  const { shared } = options as unknown as { shared: { typeArrayMap: Record<number, number> } };
  for (const [element, array] of ARRAY_TYPES) {
    shared.typeArrayMap[element] = array;
    // Looked up at each use: drizzle-orm replaces some of them afterwards.
    options.parsers[array] = (text: string) => parseArray(text, options.parsers[element]);
    options.serializers[array] = (value: unknown) =>
      serializeArray(value, options.serializers[element]);
  }
}

/** Reads PostgreSQL's text form of an array, of any number of dimensions. */
export function parseArray(text: string, parse: Parse = (element) => element): unknown[] {
  let at = text.indexOf('{'); // bounds may come first, as in [2:3]={a,b}
  return list();

  function list(): unknown[] {
    const elements: unknown[] = [];
    at++; // {
    while (at < text.length && text[at] !== '}') {
      if (text[at] === '{') elements.push(list());
      else if (text[at] === '"') elements.push(parse(quoted()));
      else elements.push(bare());
      if (text[at] === ',') at++;
    }
    at++; // }
    return elements;
  }

  function quoted(): string {
    let element = '';
    for (at++; at < text.length && text[at] !== '"'; at++) {
      if (text[at] === '\\') at++;
      element += text[at] ?? '';
    }
    at++;
    return element;
  }

  function bare(): unknown {
    const start = at;
    while (at < text.length && text[at] !== ',' && text[at] !== '}') at++;
    const element = text.slice(start, at);
    return element === 'NULL' ? null : parse(element);
  }
}

function serializeArray(value: unknown, serialize: Serialize = String): unknown {
  if (!Array.isArray(value)) return value; // the text form already
  const elements = value.map((element: unknown) => {
    if (element === null || element === undefined) return 'NULL';
    if (Array.isArray(element)) return serializeArray(element, serialize);
    return `"${String(serialize(element)).replace(/["\\]/g, '\\$&')}"`;
  });
  return `{${elements.join(',')}}`;
}
