/** Where mails are handed over, and as whom. */
export interface SmtpServer {
  /** Without the brackets of an IPv6 address. */
  host: string;
  port: number;
  /** TLS from the first byte; otherwise it is begun on the way when the server offers it. */
  secure: boolean;
  auth: { user: string; pass: string } | undefined;
}

/** What {@link parseSmtpUrl} accepts, for error messages. */
export const SMTP_URL_FORMAT =
  'smtp://host:port or smtps://host:port, with user:password@ before the host if need be ' +
  '(percent-encoded), and nothing after the port';

/**
 * Reads the URL of a mail server; undefined when it is none. A query is refused: nodemailer takes
 * options from there, and one of them switches certificate checks off.
 */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  if (!URL.canParse(text) || !/^smtps?:\/\/[^\s?#]+$/i.test(text)) return undefined;
  const { protocol, hostname, port, pathname, username, password } = new URL(text);
  const user = decoded(username);
  const pass = decoded(password);
  if (hostname === '' || port === '0' || !['', '/'].includes(pathname)) return undefined;
  if (user === undefined || pass === undefined || (user === '') !== (pass === '')) return undefined;
  const secure = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    // The ports for handing mails over: RFC 6409 with STARTTLS, RFC 8314 with TLS.
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    auth: user === '' ? undefined : { user, pass },
  };
}

/** A mail server as it may be shown: without credentials. */
export function smtpOrigin({ host, port, secure }: SmtpServer): string {
  const hostText = host.includes(':') ? `[${host}]` : host;
  return `${secure ? 'smtps' : 'smtp'}://${hostText}:${port}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
