import { expect, test } from 'vitest';
import { awaitSeen } from '../../src/demo/scenarios/await-seen.ts';

const signal = new AbortController().signal;

test('answers what is found, however late', async () => {
  let looks = 0;
  const look = () => ((looks += 1) === 3 ? 'there' : undefined);
  expect(await awaitSeen('it', look, { signal })).toBe('there');
});

test('what does not come in time is named', async () => {
  await expect(
    awaitSeen('the receipt of evt_1', () => undefined, { signal, patienceMs: 100 }),
  ).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('the receipt of evt_1, within 0.1 seconds') as string,
  });
});

test('an abort ends the wait at once', async () => {
  const asked = new AbortController();
  const waiting = awaitSeen('it', () => undefined, { signal: asked.signal });
  asked.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
});
