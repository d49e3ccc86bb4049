import { STATUS_CODES } from 'node:http';
import { ATTEMPT_ERRORS, describeAttemptError } from '../domain/attempt-error.ts';
import { pauseDeadlines, type PausePolicy } from '../domain/health.ts';
import { counted, oneLine, readableDuration, readableTime, wrap } from './wording.ts';
import { shownUrl } from '../webhooks/shown-url.ts';

/** What mails say of the service that sends them. */
export interface MailStyle {
  serviceName: string;
  /** The page of the application where an endpoint is looked after. */
  endpointPage: (endpointId: string) => string;
}

/** An endpoint to which every delivery has failed for a while. */
export interface EpisodeFacts {
  accountId: string;
  endpointId: string;
  url: string;
  description: string;
  /** ISO 8601. */
  failingSince: string;
  /** How many deliveries were attempted in vain. */
  failed: number;
  /** What the last attempt came to: a status code, an attempt error, or `unknown`. */
  lastResult: string;
  policy: PausePolicy;
}

/** What a mail is made of; the body is plain text. */
export interface MailText {
  subject: string;
  body: string;
}

/** The most of a service's or an endpoint's name that a mail repeats, in characters. */
const NAME_LENGTH = 60;

/** Room for the word before each fact. */
const LABEL_WIDTH = 16;

/** Tells the owner, a day ahead, that a failing endpoint will be paused (spec §§3.5, 8). */
export function composeWarning(facts: EpisodeFacts, style: MailStyle): MailText {
  const { failingSince, policy } = facts;
  const service = serviceName(style);
  const name = endpointName(facts);
  const pauseAt = readableTime(pauseDeadlines(failingSince, policy).pauseAt);
  const body = paragraphs(
    wrap(
      `Every delivery to your webhook endpoint "${name}" has failed since ${readableTime(failingSince)}.`,
    ),
    wrap(
      `${service} will pause the endpoint on ${pauseAt}, after ${readableDuration(policy.pauseAfterMs)} of failures, unless a delivery succeeds before then. One last attempt is made at that time.`,
    ),
    factLines(facts, [['Paused from', pauseAt]]),
    wrap(
      'While the endpoint is paused nothing is sent to it. Events are still logged, as skipped, and can be replayed once it is resumed.',
    ),
    `Look after the endpoint here:\n${style.endpointPage(facts.endpointId)}`,
  );
  return { subject: `[${service}] Webhook endpoint about to be paused: ${name}`, body };
}

/** Tells the owner that a failing endpoint has been paused, and how to go on (spec §3.5). */
export function composePaused(
  facts: EpisodeFacts & { waiting: number },
  style: MailStyle,
): MailText {
  const service = serviceName(style);
  const name = endpointName(facts);
  const body = paragraphs(
    wrap(
      `${service} has paused your webhook endpoint "${name}": every delivery to it has failed for ${readableDuration(facts.policy.pauseAfterMs)}, the last attempt included.`,
    ),
    factLines(facts, [['Not sent', counted(facts.waiting, 'delivery waits', 'deliveries wait')]]),
    wrap(
      'Nothing more is sent to the endpoint until you resume it. Meanwhile events are logged as skipped. After you have resumed it, they can be replayed, and so can the deliveries that failed.',
    ),
    `Once your receiver works again, resume the endpoint here:\n${style.endpointPage(facts.endpointId)}`,
  );
  return { subject: `[${service}] Webhook endpoint paused: ${name}`, body };
}

function factLines(facts: EpisodeFacts, more: [string, string][]): string {
  const lines: [string, string][] = [
    ['Endpoint', facts.endpointId],
    ['URL', shownUrl(facts.url)],
    ['Failing since', readableTime(facts.failingSince)],
    ['Failed', counted(facts.failed, 'delivery', 'deliveries')],
    ['Last error', describeResult(facts.lastResult)],
    ...more,
  ];
  return lines.map(([label, value]) => wrap(value, `${label}:`.padEnd(LABEL_WIDTH))).join('\n');
}

/** The last error in a sentence. */
function describeResult(result: string): string {
  const error = ATTEMPT_ERRORS.find((known) => known === result);
  if (error) return describeAttemptError(error);
  if (!/^\d{3}$/.test(result)) return 'It is not known.';
  const reason = STATUS_CODES[result];
  return `The receiver answered with status ${result}${reason ? ` (${reason})` : ''}.`;
}

/** What the owner calls the endpoint, or else its host. */
function endpointName({ description, url, endpointId }: EpisodeFacts): string {
  const host = URL.canParse(url) ? new URL(url).host : endpointId;
  return oneLine(description, NAME_LENGTH) || oneLine(host, NAME_LENGTH);
}

function serviceName(style: MailStyle): string {
  return oneLine(style.serviceName, NAME_LENGTH);
}

function paragraphs(...texts: string[]): string {
  return `${texts.join('\n\n')}\n`;
}
