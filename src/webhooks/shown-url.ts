/** A URL without its query, which may hold a token: fit for logs and mails. */
export function shownUrl(url: URL | string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
