/** One line of a scrape with its value. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** A scrape that was read. */
export interface Scrape {
  samples: Sample[];
  /** The value of the one sample with this name and at least these labels. */
  value(name: string, labels?: Record<string, string>): number | undefined;
}

const COMMENT = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.*)$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/y;
// In any case of letters, as Prometheus takes it: the event loop's mean lag can be `Nan`.
const NUMBER = /^([+-]?(inf|[\d.]+(e[+-]?\d+)?)|nan)$/i;
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

/**
 * Reads Prometheus' text format as strictly as it does itself: each name has one HELP and one TYPE,
 * before its samples, its samples stand together, and no series comes twice.
 */
export function parseScrape(text: string): Scrape {
  if (!text.endsWith('\n')) throw new Error('the last line is not ended');
  const samples: Sample[] = [];
  const types = new Map<string, string>();
  const seen = new Set<string>();
  const over = new Set<string>();
  let family: string | undefined;

  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (line.startsWith('#')) readComment(line);
    else readSample(line);
  }
  return {
    samples,
    value(name, labels = {}) {
      const fits = (sample: Sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
      const found = samples.filter(fits);
      if (found.length > 1) throw new Error(`${name} is not one sample but ${found.length}`);
      return found[0]?.value;
    },
  };

  function begin(name: string): void {
    if (family === name) return;
    if (over.has(name)) throw new Error(`${name} comes twice`);
    over.add(name);
    family = name;
  }

  function readComment(line: string): void {
    const [, keyword, name = '', rest = ''] = COMMENT.exec(line) ?? [];
    if (keyword === undefined) throw new Error(`not a comment: ${line}`);
    begin(name);
    once(`${keyword} ${name}`);
    if (keyword !== 'TYPE') return;
    if (!TYPES.includes(rest)) throw new Error(`not a type: ${line}`);
    types.set(name, rest);
  }

  function readSample(line: string): void {
    const [, name = '', inBraces, number = ''] = SAMPLE.exec(line) ?? [];
    const labels = readLabels(inBraces ?? '');
    if (name === '' || !NUMBER.test(number)) throw new Error(`not a sample: ${line}`);
    const base = name.replace(/_(bucket|sum|count)$/, '');
    begin(['histogram', 'summary'].includes(types.get(base) ?? '') ? base : name);
    if (!types.has(family ?? '')) throw new Error(`a sample without a type: ${line}`);
    once(`${name} ${JSON.stringify(Object.entries(labels).sort())}`);
    samples.push({ name, labels, value: Number(number.replace('Inf', 'Infinity')) });
  }

  function once(what: string): void {
    if (seen.has(what)) throw new Error(`comes twice: ${what}`);
    seen.add(what);
  }
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const match = LABEL.exec(text);
    if (!match) throw new Error(`not labels: ${text}`);
    labels[match[1] ?? ''] = match[2] ?? '';
  }
  return labels;
}

/** Scrapes a process and reads what it answers. */
export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(`${url}/metrics`);
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  return parseScrape(await response.text());
}
