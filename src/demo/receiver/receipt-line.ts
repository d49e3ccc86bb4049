import type { Receipt } from './receiver.ts';

/** One receipt as a line for the terminal. */
export function receiptLine(receipt: Receipt): string {
  const time = receipt.at.toTimeString().slice(0, 8);
  const signature = receipt.verdict.ok ? 'signature ok' : receipt.verdict.problem;
  const again = receipt.seen > 1 ? `seen ${receipt.seen} times` : '';
  return [
    time,
    receipt.eventType.padEnd(24),
    about(receipt.body),
    `answered ${receipt.answered}`,
    signature,
    again,
    receipt.eventId,
  ]
    .filter((part) => part !== '')
    .join('  ');
}

/** What the event is about, in a few words. */
function about(body: unknown): string {
  const data = (body as { data?: Record<string, unknown> } | undefined)?.data ?? {};
  const { address, from_status: from, to_status: to, campaign_name: campaign, reason } = data;
  const move = to === undefined ? '' : `${String(from ?? '(new)')} → ${String(to)}`;
  return [address, move, campaign, reason]
    .filter((part) => typeof part === 'string' && part)
    .join('  ');
}
