import { readdir, readFile } from 'node:fs/promises';

/** The command lines of the processes that name this directory. */
export async function processesOf(directory: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.filter((line) => line.includes(directory));
}
