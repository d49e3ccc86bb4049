import { startChild } from './child.ts';
import type { Contestant } from './contestant.ts';
import type { FromBareEngine, ToBareEngine } from './messages.ts';
import { waits, type BenchReceiver } from './receiver.ts';

/** The same engine with a workflow of one activity that POSTs, and nothing else. */
export async function startBareEngine(
  temporalAddress: string,
  receiver: BenchReceiver,
): Promise<Contestant> {
  const child = startChild<ToBareEngine, FromBareEngine>('./bare-process.ts', [
    ...[temporalAddress, `${receiver.url}/bare`],
  ]);
  await child.next('ready');

  async function run(count: number, perSecond: number | null) {
    const arrived = receiver.collect(count);
    child.tell({ count, perSecond });
    const asked = await child.next('asked');
    return { asked, arrived: await arrived };
  }

  return {
    name: 'bare engine',
    async burst(count) {
      const { asked, arrived } = await run(count, null);
      return { startedAt: asked.firstAt, arrivedAt: arrived.lastAt };
    },
    async paced(count, perSecond) {
      const { asked, arrived } = await run(count, perSecond);
      return waits(asked.times, arrived.arrivals);
    },
    async stop() {
      child.process.send('stop');
      await child.stop();
    },
  };
}
