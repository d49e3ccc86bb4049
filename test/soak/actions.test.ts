import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, inject, it } from 'vitest';
import { isConnectionLost } from '../../src/db/postgres-errors.ts';
import { AppError, errorMessage } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { endProcesses } from '../deployment/service-process.ts';
import { setPlan } from '../skip-trace/tracing.ts';
import { PUBLIC_URL } from '../support/config.ts';
import { seededRandom, type SeededRandom } from '../support/random.ts';
import { startTestApi, type TestApi } from '../support/read-api.ts';
import { ACTION_KINDS, actAtRandom, type Stage } from './actions.ts';
import { leakingAnswers, readAll, readAtRandom, type ApiAnswer } from './api-answers.ts';
import { createMarket } from './customers.ts';
import { keepJournal } from './journal.ts';
import { leakingEvents, leakingHistories, privateWords, wordsOfThisRun } from './leaks.ts';
import { ledgerContradictions, missedBy } from './ledger.ts';
import { ACTIONS_UNDER_WAY, quiet } from './quiet.ts';
import { RESCORE_QUERIES } from './rescore-ledger.ts';
import { deliveryContradictions } from './verdict.ts';
import { createWorld, WORKERS, type World } from './world.ts';

/*
 * Accounts do everything that there is to do, at random and at once, while workers and Temporal are
 * killed and connections to the database are cut. Afterwards what took effect, which triggers have
 * kept, is joined with what was told of it; and it is looked for whatever anybody should not see.
 *
 * Small in `npm test`; `npm run soak` runs it long (SOAK_ACTIONS). SEED repeats what each actor
 * draws; what it finds when it does depends on the others.
 */

const ACTIONS = Number(process.env['SOAK_ACTIONS'] ?? 240);
const ACTORS = 4;
/** More of them in a longer run. */
const ACCOUNTS = 5 + Math.min(15, Math.floor(ACTIONS / 500));
const PARCELS = 12 * ACCOUNTS;
/** Each actor waits so long at the most between two actions, in milliseconds. */
const PAUSE = 350;
const LIMIT_MS = 180_000 + ACTIONS * 100;

/** What an action may be refused with, because another came first or the plan does not carry it. */
const REFUSALS = ['conflict', 'upgrade_required', 'unavailable'];

let world: World | undefined;
let api: TestApi | undefined;

afterEach(async () => {
  await api?.close();
  await world?.close();
  await endProcesses();
}, 60_000);

it(
  'after random actions and faults every action has its events, every event its action',
  async () => {
    const random = seededRandom();
    const running = await createWorld(inject('cacheDir'), {
      RETRY_SCHEDULE: '500ms,1s,1s,2s,2s',
      ...{ AUTO_PAUSE_AFTER: '20s', IN_FLIGHT_PER_ENDPOINT: '50' },
      ...{ POSTCARD_PRODUCTION: '2s', POSTCARD_DELIVERY: '2s', PUBLIC_URL },
      ...{ RESCORE_CAP: '6', RESCORE_BATCH: '9', RESCORE_BACKLOG: '120', LOG_LEVEL: 'debug' },
    });
    world = running;
    const { records, receiver } = running;
    const { db } = records;
    await keepJournal(db);
    const lines: string[] = [];
    const log = createLog('trace', { write: (line) => void lines.push(line) });
    const serving = await startTestApi(records, log);
    api = serving;
    const recoversAt = Date.now() + (ACTIONS * PAUSE) / ACTORS / 4;
    const market = await createMarket(running, serving, random, {
      ...{ accounts: ACCOUNTS, parcels: PARCELS, recoversAt },
    });
    receiver.answer = (request, response) => {
      const hook = market.hooks.get(request.path);
      if (hook) hook.handle(request, response);
      else response.writeHead(404).end();
    };

    const answers: ApiAnswer[] = [];
    const stage: Stage = {
      ...{ records, market },
      context: { ...records.context, postcardPace: { productionMs: 2_000, deliveryMs: 2_000 } },
      readApi: async (customer, own) =>
        void answers.push(await readAtRandom(serving, customer, own)),
    };
    const done = new Map<string, number>();
    const faults: string[] = [];
    const refused = { count: 0 };
    const actors = Array.from({ length: ACTORS }, () => actor(stage, random.fork()));
    const whatGoesWrong = new AbortController();
    const chaos = misfortunes(running, random.fork(), whatGoesWrong.signal);
    await Promise.all(actors);
    whatGoesWrong.abort();
    await chaos;
    console.log(
      `  ${ACTIONS} actions, ${refused.count} refused or cut (${random.description}): ${table(done)}`,
    );
    console.log(`  ${table(countBy(running.outages, ({ what }) => what))}`);

    await quiet(db, LIMIT_MS, ACTIONS_UNDER_WAY);
    const watched = market.customers.flatMap(({ endpoints }) => endpoints);
    const untouched = market.customers.map(({ endpoints }) => endpoints[0]!.endpointId);
    faults.push(...(await ledgerContradictions(db)));
    faults.push(...(await ledgerContradictions(db, RESCORE_QUERIES)));
    faults.push(
      ...(await ledgerContradictions(db, { 'an event was not sent': missedBy(untouched) })),
    );
    faults.push(...(await deliveryContradictions(running, watched)));
    faults.push(...(await leakingEvents(db, market.customers)));
    for (const customer of market.customers) {
      await setPlan(records, customer.accountId, 'pro');
      answers.push(...(await readAll(serving, customer)));
    }
    faults.push(...(await leakingAnswers(db, answers)));
    const { read, found } = await leakingHistories(running.temporalAddress());
    const logs = [...lines, await running.readLogs()].join('\n');
    const ofPostgres = await readFile(inject('postgresLog'), 'utf8');
    const words = [...privateWords(logs), ...wordsOfThisRun(ofPostgres)];
    faults.push(...found, ...words.map((word) => `a log has ${word}`));
    console.log(
      `  ${answers.length} answers, ${read} histories, ${logs.length} characters of logs`,
    );
    expect(faults, random.description).toEqual([]);
    expect([...done.keys()].sort()).toEqual(ACTION_KINDS.toSorted());

    /** Does its share of the actions, one after another. */
    async function actor(on: Stage, own: SeededRandom): Promise<void> {
      for (let i = 0; i < ACTIONS / ACTORS; i += 1) {
        try {
          await actAtRandom(on, own, done);
        } catch (error) {
          refused.count += 1;
          const expected = error instanceof AppError && REFUSALS.includes(error.code);
          const words = privateWords(errorMessage(error));
          if (words.length > 0) faults.push(`an error says ${words.join(', ')}`);
          if (!expected && !isConnectionLost(error)) faults.push(errorMessage(error));
        }
        await delay(own.integer(PAUSE));
      }
    }
  },
  LIMIT_MS + 60_000,
);

/** Kills and cuts at random, until told to stop; each kind once at the least. */
async function misfortunes(
  { killTemporal, killWorker, cutConnections }: World,
  random: SeededRandom,
  signal: AbortSignal,
): Promise<void> {
  const again = async (pauseMs: number, own: SeededRandom, strike: () => Promise<void>) => {
    do {
      await delay(own.integer(pauseMs), undefined, { signal }).catch(() => undefined);
      await strike();
    } while (!signal.aborted);
  };
  const [temporal, worker, connections] = [random.fork(), random.fork(), random.fork()];
  await Promise.all([
    again(20_000, temporal, killTemporal),
    again(4_000, worker, () => killWorker(worker.integer(WORKERS))),
    again(3_000, connections, () => cutConnections(connections.pick([0.1, 0.3, 1]))),
  ]);
}

function countBy<T>(items: readonly T[], key: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

function table(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
}
