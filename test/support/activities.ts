import { createActivities, type Activities } from '../../activities/index.ts';
import type { Db } from '../../src/db/client.ts';
import { createLog } from '../../src/log.ts';
import { createMailer } from '../../src/mail/mailer.ts';
import { createSimulatedPrinter } from '../../src/postcards/simulated-vendor.ts';
import { createSimulatedVendor } from '../../src/skip-trace/simulated-vendor.ts';
import type { PostcardVendor } from '../../src/postcards/vendor.ts';
import type { SkipTraceVendor } from '../../src/skip-trace/vendor.ts';
import { appUrls } from '../../src/urls.ts';
import { createInFlightLimit } from '../../src/webhooks/in-flight-limit.ts';
import { createSender } from '../../src/webhooks/send.ts';
import { createTroubledEndpoints } from '../../src/webhooks/troubled-endpoints.ts';
import { PUBLIC_URL, TEST_KEY, testConfig } from './config.ts';

/** The real activities on a test's database, to be called by hand or by a test's own worker. */
export function createTestActivities(
  db: Db,
  options: {
    origins: string[];
    env?: Record<string, string>;
    /** Instead of the simulated ones. */
    vendors?: { tracer?: SkipTraceVendor; printer?: PostcardVendor };
  },
): { activities: Activities; close: () => Promise<void> } {
  const config = testConfig({ DEV_ENDPOINT_ORIGINS: options.origins.join(','), ...options.env });
  const sender = createSender({
    devOrigins: config.devEndpointOrigins,
    timeoutMs: config.deliveryTimeoutMs,
    userAgent: 'lead-events-test',
  });
  const mailer = createMailer({
    ...{ smtpUrl: config.smtpUrl, mailboxDir: config.dataDir },
    from: 'Lead Events <no-reply@example.com>',
  });
  const urls = appUrls(PUBLIC_URL);
  const activities = createActivities({
    ...{ db, sender, mailer, secretKey: TEST_KEY, retrySchedule: config.retrySchedule },
    pausePolicy: config.pausePolicy,
    mailStyle: { serviceName: config.serviceName, endpointPage: urls.endpoint },
    ...{ serviceName: config.serviceName, urls },
    ...{ tracer: createSimulatedVendor(), log: createLog('silent') },
    ...{ printer: createSimulatedPrinter(), postcardPace: config.postcardPace },
    ...options.vendors,
    retentionMs: config.logRetentionMs,
    rescore: {
      style: { serviceName: config.serviceName, urls: appUrls(PUBLIC_URL) },
      limits: config.rescore,
    },
    inFlight: createInFlightLimit(config.inFlightPerEndpoint),
    troubled: createTroubledEndpoints(),
  });
  return { activities, close: () => sender.close() };
}
