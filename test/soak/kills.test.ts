import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, inject, it } from 'vitest';
import { moveDeal } from '../../src/deals/move-deal.ts';
import { endProcesses } from '../deployment/service-process.ts';
import { seededRandom } from '../support/random.ts';
import { BEHAVIOURS, createHook, type Hook } from './behaviour.ts';
import { FAILING, quiet } from './quiet.ts';
import { contradictions, type Watched } from './verdict.ts';
import { createWorld, WORKERS, type World } from './world.ts';

/*
 * Workers (with their relays) and Temporal are killed at random while events go to receivers that
 * fail, recover or are dead. Afterwards Postgres and the receiver's own record are compared.
 *
 * Small in `npm test`; `npm run soak` runs it long (SOAK_DELIVERIES). SEED repeats a run's choices;
 * what the machine does between them is its own.
 */

const DELIVERIES = Number(process.env['SOAK_DELIVERIES'] ?? 500);
const ACCOUNTS = 2;
/** Deliveries made in a second, about. */
const PACE = 25;
/** A receiver that recovers does so after this share of the run. */
const RECOVERY = 0.5;
const LIMIT_MS = 120_000 + DELIVERIES * 200;

let world: World | undefined;

afterEach(async () => {
  await world?.close();
  await endProcesses();
}, 60_000);

it(
  'after random kills everything is final and agrees with the receivers',
  async () => {
    const random = seededRandom();
    const running = await createWorld(inject('cacheDir'), {
      RETRY_SCHEDULE: '500ms,1s,1s,2s,2s',
      AUTO_PAUSE_AFTER: '15s',
      IN_FLIGHT_PER_ENDPOINT: '50',
    });
    world = running;
    const { records, receiver } = running;
    const recoversAt = Date.now() + (RECOVERY * DELIVERIES * 1_000) / PACE;
    const hooks = new Map<string, Hook>();
    receiver.answer = (request, response) => {
      const hook = hooks.get(request.path);
      if (hook) hook.handle(request, response);
      else response.writeHead(404).end();
    };

    const watched: Watched[] = [];
    const moves: (() => Promise<void>)[] = [];
    for (let i = 0; i < ACCOUNTS; i += 1) {
      const { id: accountId } = await records.newAccount();
      const { id: dealId } = await records.newDeal(accountId);
      for (const behaviour of BEHAVIOURS) {
        const path = `/${i}-${behaviour}`;
        const hook = createHook(behaviour, random, recoversAt);
        hooks.set(path, hook);
        const { id, secret } = await records.newEndpoint(accountId, receiver.origin + path);
        watched.push({ endpointId: id, accountId, secret, hook });
      }
      let at = 0;
      moves.push(async () => {
        const to = at++ % 2 === 0 ? 'CONTACTED' : 'NEW';
        await moveDeal(records.context, { accountId, dealId, to });
      });
    }

    const rounds = Math.ceil(DELIVERIES / watched.length);
    let acting = true;
    const killing = killAtRandom();
    for (let round = 0; round < rounds; round += 1) {
      for (const move of moves) await move();
      await delay(random.integer((2_000 * watched.length) / PACE));
      if (round % 25 === 24) console.log(`  ${round + 1} of ${rounds} rounds`);
    }
    acting = false;
    await killing;
    const workers = running.outages.filter(({ what }) => what === 'worker').length;
    console.log(
      `  ${rounds * watched.length} deliveries, ${workers} workers and ${running.outages.length - workers} Temporals killed (${random.description})`,
    );

    await quiet(records.db, LIMIT_MS, { failing: FAILING });
    expect(await contradictions(running, watched), random.description).toEqual([]);

    async function killAtRandom(): Promise<void> {
      // One of each at the least.
      await running.killTemporal();
      await running.killWorker(random.integer(WORKERS));
      while (acting) {
        await delay(500 + random.integer(2_500));
        if (random.next() < 0.3) await running.killTemporal();
        else await running.killWorker(random.integer(WORKERS));
      }
    }
  },
  LIMIT_MS,
);
