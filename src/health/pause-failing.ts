import { sql } from 'drizzle-orm';
import { SERVICE_ACTOR } from '../audit/audit-log.ts';
import type { Db } from '../db/client.ts';
import type { PausePolicy } from '../domain/health.ts';
import {
  auditEndpoint,
  changeEndpoint,
  endUnderWay,
  HEALTH_CHANGED,
} from '../endpoints/change-endpoint.ts';
import { composePaused, type MailStyle } from '../mail/health-mails.ts';
import { writeMail } from '../mail/write-mail.ts';
import { countWaiting } from '../redelivery/count-waiting.ts';
import { enqueueHealth } from './enqueue-health.ts';
import { episodeFacts } from './episode-facts.ts';
import { isOngoing, ongoingEpisode, type Episode } from './episode.ts';

/** The episode ended while it was being acted on; what was done is rolled back. */
class EpisodeOver extends Error {}

/**
 * Pauses an endpoint whose episode goes on, ends what is under way to it and writes the mail to its
 * owner, all at once or not at all. A success, a resume or a change of URL that came first wins.
 */
export async function pauseFailing(
  { db, policy, style }: { db: Db; policy: PausePolicy; style: MailStyle },
  episode: Episode,
): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      const ongoing = await ongoingEpisode(tx, episode);
      if (!ongoing) return;
      const { accountId, endpointId } = ongoing;
      const facts = await episodeFacts(tx, episode);
      await endUnderWay(tx, ongoing, 'endpoint_paused');
      const paused = await changeEndpoint(tx, isOngoing(episode), {
        state: 'paused',
        pauseReason: 'failing',
        pausedAt: sql`clock_timestamp()`,
        ...HEALTH_CHANGED,
      });
      if (!paused) throw new EpisodeOver();
      const { failed, lastResult } = facts;
      await auditEndpoint(tx, SERVICE_ACTOR, 'endpoint.paused', ongoing, {
        ...{ reason: 'failing', failing_since: episode.failingSince },
        ...{ failed, last_result: lastResult },
      });
      const waiting = await countWaiting(tx, endpointId);
      await writeMail(tx, {
        ...{ accountId, recipient: ongoing.recipient },
        about: `paused:${endpointId}:${episode.failingSince}`,
        ...composePaused({ ...ongoing, ...facts, policy, waiting }, style),
      });
      await enqueueHealth(tx, ongoing);
    });
  } catch (error) {
    if (!(error instanceof EpisodeOver)) throw error;
  }
}
