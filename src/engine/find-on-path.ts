import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Every executable file called `name` in the directories of PATH, in their order. */
export function findOnPath(name: string): string[] {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .filter(isExecutable);
}

/** Whether `path` is a file that we may execute. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
