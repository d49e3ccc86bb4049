import { readdirSync, readFileSync } from 'node:fs';

/** Processes of the benchmark, by what stands in their command lines. */
const PARTS = {
  'Temporal server': 'server\0start-dev',
  PostgreSQL: 'postgres',
  'our worker': 'main.ts\0worker',
  'bare worker': 'bare-process',
  receiver: 'receiver-process',
  'load generator': 'bench.ts',
} as const;

export type Part = keyof typeof PARTS;

/** Processor time of each part so far, in milliseconds; empty where there is no /proc. */
export function cpuByPart(): Partial<Record<Part, number>> {
  const total: Partial<Record<Part, number>> = {};
  for (const pid of processIds()) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const part = (Object.keys(PARTS) as Part[]).find((name) => command.includes(PARTS[name]));
      if (!part) continue;
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      // User and system time, in ticks of ten milliseconds.
      total[part] = (total[part] ?? 0) + (Number(fields[11]) + Number(fields[12])) * 10;
    } catch {
      // It ended meanwhile.
    }
  }
  return total;
}

function processIds(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
