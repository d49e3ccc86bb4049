/** Ports from 1024 on that browsers never connect to (WHATWG Fetch, "bad port"). */
const BAD_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080,
]);

/** What {@link isAllowedPort} lets through, for error messages. */
export const ALLOWED_PORTS = '443, or 1024 and above except ports of other protocols';

/** Whether events may be sent to this port; the empty text is the default, 443. */
export function isAllowedPort(port: string): boolean {
  const number = port === '' ? 443 : Number(port);
  return number === 443 || (number >= 1024 && !BAD_PORTS.has(number));
}
