import type { Engine } from '../../src/engine/engine-options.ts';
import type { Contestant } from './contestant.ts';
import { waits, type BenchReceiver } from './receiver.ts';
import { runService } from './running-service.ts';

/**
 * This service, whole: events recorded in Postgres, relayed, delivered by a worker in a process of
 * its own, every attempt logged. The clock starts when the commit of the event is acknowledged.
 */
export async function startService(engine: Engine, receiver: BenchReceiver): Promise<Contestant> {
  const service = await runService(engine, [receiver.url]);
  const customer = await service.newCustomer(`${receiver.url}/service`);
  return {
    name: 'lead-events',
    async burst(count) {
      const arrived = receiver.collect(count);
      const startedAt = await customer.commitAtOnce(count);
      return { startedAt, arrivedAt: (await arrived).lastAt };
    },
    async paced(count, perSecond) {
      const arrived = receiver.collect(count);
      const committed = await customer.commitPaced(count, perSecond);
      return waits(committed, (await arrived).arrivals);
    },
    stop: service.stop,
  };
}
