import { relative } from 'node:path';
import { and, asc, eq, gte, sql } from 'drizzle-orm';
import { z } from 'zod';
import { events } from '../../../drizzle/schema.ts';
import type { Config } from '../../config.ts';
import { unavailable } from '../../errors.ts';
import type { StartedService } from '../../processes/start-service.ts';
import type { ServiceContext } from '../../service-context.ts';
import type { Receipt } from '../receiver/receiver.ts';
import { awaitSeen } from './await-seen.ts';
import type { Narrator } from './narrator.ts';

/** What a scenario plays on. */
export interface Stage {
  context: ServiceContext;
  accountId: string;
  /** Made for this run, at the receiver. */
  endpointId: string;
  apiUrl: string;
  /** The waits between attempts, in milliseconds. */
  retrySchedule: readonly number[];
  /** The folder where mails land. */
  mailbox: string;
  narrator: Narrator;
  signal: AbortSignal;
  /** Everything that the receiver has got so far, the first one first. */
  receipts: readonly Receipt[];
  /** The database's clock when the run began, ISO 8601. */
  beganAt: string;
  /** Tells the receiver how to answer: for so many requests, or from now on. */
  answer(answer: string, times?: number): Promise<void>;
  /** Waits until `look` finds something; when that takes too long, says what was not seen. */
  until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T>;
  /** The events of this run about a subject, or all, the first one first. */
  events(subject?: string): Promise<{ id: string; type: string; createdAt: string }[]>;
  /** How a command is called so that it works on this run's data. */
  cli(words: string): string;
  /** Where a workflow is seen in the Temporal UI. */
  ui(workflowId: string): string;
}

const clock = z.object({ now: z.string() });

/** Sets the stage on a service that has started; the receiver's requests are collected in `receipts`. */
export async function setStage(
  service: StartedService,
  parts: { config: Config; narrator: Narrator; signal: AbortSignal; receipts: readonly Receipt[] },
): Promise<Stage> {
  const { config, narrator, signal, receipts } = parts;
  const { demo, engine, apiUrl, mail: mailbox } = service;
  if (!demo) throw unavailable('There is no demo receiver in production.');
  const context = service.contextFor('demo');
  const { db } = context;
  const accountId = demo.account.id;
  const [row] = await db.execute(sql`select clock_timestamp()::text as now`);
  const beganAt = new Date(clock.parse(row).now).toISOString();
  return {
    ...{ context, accountId, endpointId: demo.endpointId, apiUrl, mailbox },
    retrySchedule: config.retrySchedule,
    ...{ narrator, signal, receipts, beganAt },
    async answer(answer, times) {
      const body = JSON.stringify({ answer, times });
      const response = await fetch(`${demo.receiverUrl}/answer`, { method: 'PUT', body, signal });
      if (!response.ok) throw new Error(`the receiver cannot answer ${answer}`);
    },
    until: (what, look) => awaitSeen(what, look, { signal }),
    events: (subject) =>
      db
        .select({ id: events.id, type: events.type, createdAt: events.createdAt })
        .from(events)
        .where(
          and(
            eq(events.accountId, accountId),
            gte(events.createdAt, beganAt),
            subject === undefined ? undefined : eq(events.subject, subject),
          ),
        )
        .orderBy(asc(events.createdAt), asc(events.id)),
    cli: (words) => `DATA_DIR=${shortPath(config.dataDir)} npm run cli -- ${words}`,
    ui: (workflowId) =>
      `${engine.temporalUiUrl}/namespaces/${config.temporalNamespace}/workflows/${workflowId}`,
  };
}

/** As somebody in the current directory would type it. */
export function shortPath(path: string): string {
  const fromHere = relative('.', path);
  return fromHere.startsWith('..') ? path : fromHere;
}
