import type { Db } from '../src/db/client.ts';
import type { EndpointHealth } from '../src/domain/endpoint-health.ts';
import type { PausePolicy } from '../src/domain/health.ts';
import { beginLastAttempt } from '../src/health/begin-last-attempt.ts';
import type { Episode } from '../src/health/episode.ts';
import { pauseFailing } from '../src/health/pause-failing.ts';
import { readHealth } from '../src/health/read-health.ts';
import { warnOwner } from '../src/health/warn-owner.ts';
import type { MailStyle } from '../src/mail/health-mails.ts';

export interface HealthDependencies {
  db: Db;
  pausePolicy: PausePolicy;
  mailStyle: MailStyle;
}

/** The steps of an endpoint's health workflow; each changes nothing when its episode is over. */
export function createHealthActivities({
  db,
  pausePolicy: policy,
  mailStyle: style,
}: HealthDependencies) {
  return {
    warnOwner: (episode: Episode): Promise<void> => warnOwner({ db, policy, style }, episode),

    /** The delivery to attempt, and how the endpoint is. */
    async beginLastAttempt(
      episode: Episode,
    ): Promise<{ deliveryId: string | null; health: EndpointHealth }> {
      const deliveryId = await beginLastAttempt(db, episode);
      return { deliveryId, health: await readHealth(db, episode.endpointId, policy) };
    },

    /** How the endpoint is afterwards. */
    async pauseFailing(episode: Episode): Promise<EndpointHealth> {
      await pauseFailing({ db, policy, style }, episode);
      return readHealth(db, episode.endpointId, policy);
    },
  };
}
