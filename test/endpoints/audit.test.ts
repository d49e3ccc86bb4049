import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditLog, deliveries, endpoints, replays } from '../../drizzle/schema.ts';
import { listAudit, recordAudit } from '../../src/audit/audit-log.ts';
import { createEndpoint } from '../../src/endpoints/create-endpoint.ts';
import { deleteEndpoint } from '../../src/endpoints/delete-endpoint.ts';
import type { EndpointContext, WhichEndpoint } from '../../src/endpoints/endpoint.ts';
import { pauseEndpoint } from '../../src/endpoints/pause-endpoint.ts';
import { revealSecret } from '../../src/endpoints/read-endpoints.ts';
import { resumeEndpoint } from '../../src/endpoints/resume-endpoint.ts';
import { prepareSecret, switchSecret, switchSecretNow } from '../../src/endpoints/rotate-secret.ts';
import { sendTest } from '../../src/endpoints/send-test.ts';
import { updateEndpoint } from '../../src/endpoints/update-endpoint.ts';
import { redeliver } from '../../src/redelivery/redeliver.ts';
import { startReplay } from '../../src/redelivery/start-replay.ts';
import { stopReplay } from '../../src/redelivery/stop-replay.ts';
import { newCustomer } from '../support/customer.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

let records: TestRecords;
/** Somebody in particular; the URL guard is not asked, since nothing is sent here. */
let context: EndpointContext;

beforeAll(async () => {
  records = await createTestRecords();
  context = {
    ...{ ...records.context, actor: 'cli:ada' },
    checkUrl: (raw: string) => Promise.resolve(new URL(raw)),
  };
});

afterAll(() => records.close());

/** Tokens as people put them into URLs. */
const URL_WITH_TOKEN = 'https://hooks.example.com/in?token=s3cr3t-of-the-url';
const MOVED = 'https://hooks.example.com/moved?key=s3cr3t-of-the-url';

/** What a verb works on: an endpoint with a delivery that was skipped, and a running replay of it. */
interface Subject {
  which: WhichEndpoint;
  deliveryId: string;
  replayId: string;
}

interface Verb {
  action: string;
  /** The state that the endpoint has to be in. */
  paused?: true;
  prepared?: true;
  replaying?: true;
  run: (subject: Subject, by?: EndpointContext) => Promise<unknown>;
  details: (subject: Subject) => Record<string, unknown>;
}

const VERBS: Verb[] = [
  {
    action: 'endpoint.updated',
    run: ({ which }, by = context) =>
      updateEndpoint(by, { ...which, url: MOVED, eventTypes: ['deal.closed'], description: 'CRM' }),
    details: () => ({
      ...{ url: 'https://hooks.example.com/moved', url_before: 'https://hooks.example.com/in' },
      ...{ event_types: ['deal.closed'], event_types_before: expect.any(Array) as unknown },
      description: 'CRM',
    }),
  },
  {
    action: 'endpoint.paused',
    run: ({ which }, by = context) => pauseEndpoint(by, which),
    details: () => ({}),
  },
  {
    action: 'endpoint.resumed',
    paused: true,
    run: ({ which }, by = context) => resumeEndpoint(by, which),
    details: () => ({ waiting: 1 }),
  },
  {
    action: 'endpoint.deleted',
    run: ({ which }, by = context) => deleteEndpoint(by, which),
    details: () => ({}),
  },
  {
    action: 'endpoint.tested',
    run: ({ which }, by = context) => sendTest(by, which, { eventTypes: ['deal.closed'] }),
    details: () => ({ event_types: ['deal.closed'] }),
  },
  {
    action: 'endpoint.secret_revealed',
    prepared: true,
    run: ({ which }, by = context) => revealSecret(by, which),
    details: () => ({}),
  },
  {
    action: 'endpoint.secret_prepared',
    run: ({ which }, by = context) => prepareSecret(by, which),
    details: () => ({}),
  },
  {
    action: 'endpoint.secret_switched',
    prepared: true,
    run: ({ which }, by = context) => switchSecret(by, which),
    details: () => ({}),
  },
  {
    action: 'endpoint.secret_switched',
    run: ({ which }, by = context) => switchSecretNow(by, which),
    details: () => ({ now: true }),
  },
  {
    action: 'endpoint.replay_started',
    run: ({ which }, by = context) =>
      startReplay(by, which, { states: ['skipped'], since: '2026-01-01T00:00:00Z' }),
    details: () => ({
      ...{ replay_id: expect.stringMatching(/^\w+_/) as unknown, states: ['skipped'] },
      ...{ since: '2026-01-01T00:00:00Z', until: null, total: 1 },
    }),
  },
  {
    action: 'endpoint.replay_stopped',
    replaying: true,
    run: ({ which: { accountId }, replayId }, by = context) =>
      stopReplay(by, { accountId, replayId }),
    details: ({ replayId }) => ({ replay_id: replayId, made: 0 }),
  },
  {
    action: 'delivery.redelivered',
    run: ({ which: { accountId }, deliveryId }, by = context) =>
      redeliver(by, { accountId, deliveryId }),
    details: ({ deliveryId }) => ({
      ...{ delivery_id: deliveryId, redelivery_id: expect.stringMatching(/^\w+_/) as unknown },
    }),
  },
];

/** What a verb needs, and how long the audit log was then. */
async function subjectFor(verb: Pick<Verb, 'paused' | 'prepared' | 'replaying'>): Promise<Subject> {
  const customer = await newCustomer(records, URL_WITH_TOKEN);
  const which = { accountId: customer.accountId, endpointId: customer.endpoints[0]!.id };
  await pauseEndpoint(context, which);
  await customer.move();
  if (!verb.paused) await resumeEndpoint(context, which);
  if (verb.prepared) await prepareSecret(context, which);
  const replay = verb.replaying && (await startReplay(context, which));
  const [delivery] = await records.db
    .select()
    .from(deliveries)
    .where(eq(deliveries.endpointId, which.endpointId));
  return { which, deliveryId: delivery!.id, replayId: replay?.id ?? '' };
}

const entriesOf = ({ accountId }: WhichEndpoint) => listAudit(records.db, { accountId });

/** Everything that a verb could change, and what it would have Temporal told. */
async function stateOf({ endpointId }: WhichEndpoint) {
  const { db, database } = records;
  return [
    await db.select().from(endpoints).where(eq(endpoints.id, endpointId)),
    await db.select().from(deliveries).where(eq(deliveries.endpointId, endpointId)),
    await db.select().from(replays).where(eq(replays.endpointId, endpointId)),
    [...(await database.sql`select key, task, generation from outbox order by key`)],
  ];
}

describe('every verb writes one entry (spec §6.2)', () => {
  it.each(VERBS)('$action: who, what, to which, and what changed', async (verb) => {
    const subject = await subjectFor(verb);
    const before = await entriesOf(subject.which);
    await verb.run(subject);
    const [entry, ...rest] = await entriesOf(subject.which);
    expect(rest).toEqual(before);
    expect(entry).toEqual({
      ...{ id: expect.any(String) as unknown, at: expect.any(String) as unknown },
      ...{ actor: 'cli:ada', action: verb.action },
      ...{ accountId: subject.which.accountId, subjectId: subject.which.endpointId },
      details: verb.details(subject),
    });
  });

  it('endpoint.created: with the URL as it is shown, and the types', async () => {
    const { id: accountId } = await records.newAccount();
    const created = await createEndpoint(context, {
      ...{ accountId, url: URL_WITH_TOKEN, eventTypes: ['deal.closed'] },
    });
    expect(await entriesOf({ accountId, endpointId: created.id })).toMatchObject([
      {
        ...{ actor: 'cli:ada', action: 'endpoint.created', subjectId: created.id },
        details: { url: 'https://hooks.example.com/in', event_types: ['deal.closed'] },
      },
    ]);
  });

  it('never a secret or the query of a URL, in any of them', async () => {
    const secrets: string[] = [];
    for (const verb of VERBS) {
      const subject = await subjectFor(verb);
      const answer = await verb.run(subject);
      secrets.push(...(JSON.stringify(answer)?.match(/whsec_[^"]+/g) ?? []));
    }
    expect(secrets.length).toBeGreaterThan(3);
    const everything = JSON.stringify(await records.db.select().from(auditLog));
    expect(everything).not.toContain('whsec_');
    expect(everything).not.toContain('s3cr3t');
    for (const secret of secrets) expect(everything).not.toContain(secret.slice(6));
  });
});

describe('in the transaction of what was done', () => {
  it.each(VERBS)('$action: when the entry cannot be written, nothing is done', async (verb) => {
    const subject = await subjectFor(verb);
    const before = await stateOf(subject.which);
    const { sql } = records.database;
    await sql`alter table audit_log add constraint refused check (actor <> 'refused')`;
    try {
      const by = { ...context, actor: 'refused' };
      await expect(verb.run(subject, by)).rejects.toThrow();
    } finally {
      await sql`alter table audit_log drop constraint refused`;
    }
    expect(await stateOf(subject.which)).toEqual(before);
  });

  it.each(VERBS)('$action: refused for another account, it writes none', async (verb) => {
    const subject = await subjectFor(verb);
    const { id: accountId } = await records.newAccount();
    const stranger = { ...subject, which: { ...subject.which, accountId } };
    const [before, state] = [await entriesOf(subject.which), await stateOf(subject.which)];
    await expect(verb.run(stranger)).rejects.toMatchObject({ code: 'not_found' });
    expect(await entriesOf(subject.which)).toEqual(before);
    expect(await entriesOf(stranger.which)).toEqual([]);
    expect(await stateOf(subject.which)).toEqual(state);
  });

  it('a conflict and a bad request write none', async () => {
    const { which, deliveryId } = await subjectFor({ paused: true });
    const before = await entriesOf(which);
    const { accountId } = which;
    for (const refused of [
      () => pauseEndpoint(context, which),
      () => switchSecret(context, which),
      () => startReplay(context, which),
      () => redeliver(context, { accountId, deliveryId }),
      () => sendTest(context, which, { eventTypes: ['nonsense'] }),
      () => updateEndpoint(context, { ...which, eventTypes: [] }),
      () => createEndpoint(context, { accountId, url: MOVED, eventTypes: ['nonsense'] }),
    ]) {
      await expect(refused()).rejects.toMatchObject({
        code: expect.stringMatching(/^(conflict|bad_request)$/) as unknown,
      });
    }
    await resumeEndpoint(context, which);
    await expect(resumeEndpoint(context, which)).rejects.toMatchObject({ code: 'conflict' });
    expect((await entriesOf(which)).slice(1)).toEqual(before);
  });

  it.each([
    ['pauseEndpoint', pauseEndpoint, {}],
    ['resumeEndpoint', resumeEndpoint, { paused: true }],
    ['deleteEndpoint', deleteEndpoint, {}],
  ] as const)(
    '%s, five at once: one is done and noted, four are refused',
    async (_, verb, needs) => {
      for (let round = 0; round < 5; round += 1) {
        const { which } = await subjectFor(needs);
        const before = (await entriesOf(which)).length;
        const all = await Promise.allSettled(Array.from({ length: 5 }, () => verb(context, which)));
        expect(all.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
        for (const one of all) {
          if (one.status === 'rejected') {
            expect(one.reason).toMatchObject({
              code: verb === deleteEndpoint ? 'not_found' : 'conflict',
            });
          }
        }
        expect(await entriesOf(which)).toHaveLength(before + 1);
      }
    },
  );
});

describe('what is listed', () => {
  it("is the account's own, newest first, and by endpoint or key when one is named", async () => {
    const [mine, other] = [await subjectFor({}), await subjectFor({})];
    const { accountId, endpointId } = mine.which;
    const second = await createEndpoint(context, {
      ...{ accountId, url: MOVED, eventTypes: ['deal.closed'] },
    });
    const all = await entriesOf(mine.which);
    expect(all.map(({ action }) => action)).toEqual([
      ...['endpoint.created', 'endpoint.resumed', 'endpoint.paused', 'endpoint.created'],
    ]);
    expect(all.every((entry) => entry.accountId === accountId)).toBe(true);
    const { db } = records;
    expect(await listAudit(db, { accountId, subjectId: endpointId })).toEqual(all.slice(1));
    expect(await listAudit(db, { accountId, subjectId: second.id })).toEqual(all.slice(0, 1));
    const foreign = { accountId, subjectId: other.which.endpointId };
    expect(await listAudit(db, foreign)).toEqual([]);
  });

  it('is a hundred entries at the most, the newest', async () => {
    const { id: accountId } = await records.newAccount();
    for (let i = 0; i < 103; i += 1) {
      await recordAudit(records.db, {
        ...{ actor: 'test', action: 'key.created', accountId, subjectId: `key_${i}` },
      });
    }
    const subjects = (await listAudit(records.db, { accountId })).map((entry) => entry.subjectId);
    expect(subjects).toEqual(Array.from({ length: 100 }, (_, i) => `key_${102 - i}`));
  });
});
