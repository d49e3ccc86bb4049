import { Client } from '@temporalio/client';
import type { NativeConnection, State, WorkflowBundleOption } from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import { localUrl, type Config } from '../config.ts';
import type { Database } from '../db/client.ts';
import type { Logger } from '../log.ts';
import { configuredMailer } from '../mail/mail-settings.ts';
import type { AttemptObservation } from '../metrics/attempt-metrics.ts';
import { answers, CHECK_LIMIT_MS, type DeliveryCheck } from '../operations/readiness.ts';
import { startRelay, type RelayOptions } from '../relay/relay.ts';
import { requeueAllHealth } from '../relay/reconcile.ts';
import { createSimulatedPrinter } from '../postcards/simulated-vendor.ts';
import { createSimulatedVendor } from '../skip-trace/simulated-vendor.ts';
import { connectTemporal } from '../temporal/connect.ts';
import { ensurePurgeSchedule } from '../temporal/purge-schedule.ts';
import { ensureRescoreSchedule } from '../temporal/rescore-schedule.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { createWorker } from '../temporal/worker.ts';
import { appUrls } from '../urls.ts';
import { createInFlightLimit } from '../webhooks/in-flight-limit.ts';
import { VERSION } from '../version.ts';
import { createTroubledEndpoints } from '../webhooks/troubled-endpoints.ts';
import { createSender } from '../webhooks/send.ts';

/** What an operator needs to know of the SDK's word for a worker. */
const WORKER: Record<State, DeliveryCheck['worker']> = {
  INITIALIZED: 'starting',
  RUNNING: 'running',
  STOPPING: 'stopping',
  DRAINING: 'stopping',
  DRAINED: 'stopping',
  STOPPED: 'stopping',
  FAILED: 'failed',
};

export interface DeliveryServiceOptions {
  config: Config;
  database: Database;
  temporalAddress: string;
  secretKey: Buffer;
  workflowBundle: WorkflowBundleOption;
  log: Logger;
  relay?: Partial<RelayOptions>;
  /** Told of each attempt that was made, for the metrics. */
  observe?: (attempt: AttemptObservation) => void;
}

export interface DeliveryService {
  /** Rejects when the worker fails for good; resolves after stop(). */
  finished: Promise<void>;
  /** How it is now. */
  check(): Promise<DeliveryCheck>;
  /** Lets what is under way finish: the relay first, then the worker. */
  stop(): Promise<void>;
}

/**
 * Starts what delivers: a worker for the workflows and activities, and the relay that feeds it.
 * Both share one connection, so that a workflow's first task comes back with the answer to its
 * start (eager start) and costs no poll.
 */
export async function startDeliveryService(
  options: DeliveryServiceOptions,
): Promise<DeliveryService> {
  const { config, database, secretKey, workflowBundle, log } = options;
  const { temporalNamespace: namespace, taskQueue } = config;
  const connection = await connectTemporal(options.temporalAddress);
  const sender = createSender({
    devOrigins: config.devEndpointOrigins,
    dnsServers: config.dnsServers,
    timeoutMs: config.deliveryTimeoutMs,
    ownHosts: config.publicUrl ? [new URL(config.publicUrl).host] : [],
    userAgent: `lead-events/${VERSION}`,
  });
  const publicUrl = config.publicUrl ?? localUrl(config);
  const urls = appUrls(publicUrl);
  const mailer = configuredMailer(config, publicUrl);
  const activities = createActivities({
    db: database.db,
    sender,
    mailer,
    pausePolicy: config.pausePolicy,
    mailStyle: { serviceName: config.serviceName, endpointPage: urls.endpoint },
    ...{ serviceName: config.serviceName, urls },
    ...{ tracer: createSimulatedVendor(), log },
    ...{ printer: createSimulatedPrinter(), postcardPace: config.postcardPace },
    retentionMs: config.logRetentionMs,
    rescore: {
      style: { serviceName: config.serviceName, urls: appUrls(publicUrl) },
      limits: config.rescore,
    },
    inFlight: createInFlightLimit(config.inFlightPerEndpoint),
    troubled: createTroubledEndpoints(),
    secretKey,
    retrySchedule: config.retrySchedule,
    observe: options.observe,
  });
  const client = new Client({ connection, namespace });
  try {
    await prepare();
    const worker = await createWorker({
      connection,
      namespace,
      taskQueue,
      workflowBundle,
      activities,
    });
    const finished = worker.run().finally(() => close(connection));
    const relay = startRelay(
      {
        ...{ database, client, log, prepare },
      },
      { taskQueue, pausePolicy: config.pausePolicy, ...options.relay },
    );
    return {
      finished,
      async check() {
        const reached = await answers(pingTemporal());
        return { temporal: reached ? 'ok' : 'unreachable', worker: WORKER[worker.getState()] };
      },
      async stop() {
        await relay.stop();
        if (worker.getState() === 'RUNNING') worker.shutdown();
        await finished;
      },
    };
  } catch (error) {
    await close(connection);
    throw error;
  }

  /** Makes Temporal ready for this service; one that knew nothing of it gets the endpoints back. */
  async function prepare(): Promise<void> {
    const isNew = await registerSearchAttributes(connection, namespace);
    if (isNew) await requeueAllHealth(database.db);
    await ensurePurgeSchedule(client, { taskQueue });
    await ensureRescoreSchedule(client, { taskQueue });
  }

  /** Asks what costs the server nothing. */
  async function pingTemporal(): Promise<void> {
    await connection.withDeadline(Date.now() + CHECK_LIMIT_MS, () =>
      connection.workflowService.getSystemInfo({}),
    );
  }

  async function close(open: NativeConnection): Promise<void> {
    await sender.close();
    mailer.close();
    await open.close();
  }
}
