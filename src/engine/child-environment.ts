const KEPT = /^(PATH|HOME|USER|LANG|TZ|TMPDIR|LD_LIBRARY_PATH|DYLD_\w+|SSL_CERT_\w+)$/;

/**
 * The environment for a server we start: what a program needs to run at all, and `extra`. Ours holds
 * secrets and settings (TEMPORAL_…, PG…) that are not meant for it.
 */
export function childEnvironment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => KEPT.test(name));
  return { ...Object.fromEntries(kept), ...extra };
}
