const MAX_LENGTH = 512;

/**
 * Where a redirect points, for the delivery log: resolved against the endpoint's URL, at most 512
 * characters, without what may be secret (user name, password, query, fragment). Null without one.
 */
export function redirectTarget(location: string | undefined, base: URL): string | null {
  if (!location) return null;
  if (!URL.canParse(location, base.href)) {
    const text = location.replace(/[?#].*$/s, '').replace(/[^\x20-\x7e]/g, '');
    return text.slice(0, MAX_LENGTH) || null;
  }
  const url = new URL(location, base);
  for (const part of ['username', 'password', 'search', 'hash'] as const) url[part] = '';
  return url.href.slice(0, MAX_LENGTH);
}
