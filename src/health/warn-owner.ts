import type { Db } from '../db/client.ts';
import type { PausePolicy } from '../domain/health.ts';
import { composeWarning, type MailStyle } from '../mail/health-mails.ts';
import { writeMail } from '../mail/write-mail.ts';
import { episodeFacts } from './episode-facts.ts';
import { ongoingEpisode, type Episode } from './episode.ts';

/** Writes the mail that warns of a pause; once for an episode, and not when it is over. */
export async function warnOwner(
  { db, policy, style }: { db: Db; policy: PausePolicy; style: MailStyle },
  episode: Episode,
): Promise<void> {
  await db.transaction(async (tx) => {
    const ongoing = await ongoingEpisode(tx, episode);
    if (!ongoing) return;
    const facts = await episodeFacts(tx, episode);
    await writeMail(tx, {
      ...{ accountId: ongoing.accountId, recipient: ongoing.recipient },
      about: `warning:${episode.endpointId}:${episode.failingSince}`,
      ...composeWarning({ ...ongoing, ...facts, policy }, style),
    });
  });
}
