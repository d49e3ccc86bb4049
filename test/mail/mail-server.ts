import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import type { KeyAndCertificate } from '../support/tls-certificates.ts';

/** What the server says at a step: a refusal with its code and words, nothing at all, or yes. */
export type Answer = { code: number; text: string } | 'silence' | 'accept';

/** A mail as the server got it. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** The headers by their names in lower case, unfolded. */
  headers: Map<string, string>;
  body: string;
}

export interface MailServer {
  port: number;
  /** What it has accepted. */
  mails: ReceivedMail[];
  /** User names and passwords that it was shown. */
  logins: string[];
  close(): Promise<void>;
}

/** A mail server on loopback that answers each recipient, mail and login as it is told to. */
export async function startMailServer({
  onRecipient = () => 'accept',
  onMail = () => 'accept',
  onLogin,
  tls,
  startTls = false,
}: {
  onRecipient?: (address: string) => Answer;
  onMail?: () => Answer;
  /** Asks for a user name and a password when it is given. */
  onLogin?: (login: string) => Answer;
  /** TLS from the first byte. */
  tls?: KeyAndCertificate;
  /** Offers TLS on the way, with a certificate that nobody trusts. */
  startTls?: boolean;
} = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const logins: string[] = [];
  const server = new SMTPServer({
    ...(tls ? { secure: true, ...tls } : {}),
    disabledCommands: [...(startTls ? [] : ['STARTTLS']), ...(onLogin ? [] : ['AUTH'])],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 1,
    onAuth({ username = '', password }, _session, callback) {
      const login = `${username}:${password ?? ''}`;
      logins.push(login);
      answer(onLogin?.(login) ?? 'accept', (error) => callback(error, { user: username }));
    },
    onRcptTo: ({ address }, _session, callback) => answer(onRecipient(address), callback),
    onData(stream, { envelope }, callback) {
      void text(stream).then((message) => {
        const verdict = onMail();
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        const to = envelope.rcptTo.map(({ address }) => address);
        if (verdict === 'accept') mails.push({ from, to, ...parseMessage(message) });
        answer(verdict, callback);
      });
    },
  });
  // A client that distrusts the certificate hangs up, which the server reports.
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return {
    port: (listening.address() as AddressInfo).port,
    ...{ mails, logins },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Headers and body of a message that is not encoded. */
export function parseMessage(message: string): Pick<ReceivedMail, 'headers' | 'body'> {
  const lines = message.replaceAll('\r\n', '\n');
  const end = lines.indexOf('\n\n');
  const headers = lines.slice(0, end).replaceAll(/\n[ \t]+/g, ' ');
  return {
    headers: new Map(
      headers.split('\n').map((line) => {
        const [name = '', ...value] = line.split(': ');
        return [name.toLowerCase(), value.join(': ')];
      }),
    ),
    body: lines.slice(end + 2),
  };
}

function answer(verdict: Answer, callback: (error?: Error | null) => void): void {
  if (verdict === 'silence') return;
  if (verdict === 'accept') callback(null);
  else callback(Object.assign(new Error(verdict.text), { responseCode: verdict.code }));
}
