/**
 * Sends a signal to a process we spawned `detached` and to everything in its process group.
 * One that is gone already is no error.
 */
export function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // gone
  }
}
