import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteEndpoint } from '../../src/endpoints/delete-endpoint.ts';
import { requireEndpoint, revealSecret } from '../../src/endpoints/read-endpoints.ts';
import { prepareSecret, switchSecret, switchSecretNow } from '../../src/endpoints/rotate-secret.ts';
import { newId } from '../../src/ids.ts';
import { retryNowUpdate } from '../../workflows/contract.ts';
import { verifyReceipt } from '../delivery/receipt.ts';
import { gotRequests, newRecipient, type Recipient } from '../redelivery/recipient.ts';
import { endpointRow } from '../support/endpoint-row.ts';
import type { Received } from '../support/receiver.ts';
import { startScene, status, type Scene } from '../support/scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene({ RETRY_SCHEDULE: '1h,1h' });
});

afterAll(() => scene.close());

const prepare = ({ which }: Recipient) => prepareSecret(scene.records.context, which);
const switchOver = ({ which }: Recipient) => switchSecret(scene.records.context, which);
const now = ({ which }: Recipient) => switchSecretNow(scene.records.context, which);
const reveal = ({ which }: Recipient) => revealSecret(scene.records.context, which);
const row = ({ which }: Recipient) => endpointRow(scene.records, which.endpointId);

/** The request that the next event is sent with. */
async function nextRequest(recipient: Recipient): Promise<Received> {
  await recipient.move(1);
  await recipient.settled();
  return recipient.hook.received.at(-1)!;
}

/** Expects exactly one signature (spec §6.3), made with this secret and with none of the others. */
async function expectSignedWith(request: Received, secret: string, ...others: string[]) {
  expect(request.headers['x-svc-signature']).toMatch(/^v1=[0-9a-f]{64}$/);
  expect(await verifyReceipt(request, secret)).toBe('accepted');
  for (const other of others) expect(await verifyReceipt(request, other)).toBe('bad signature');
}

describe('in two steps (spec §6.3: exactly one signature)', () => {
  it('prepared: nothing changes on the wire, and the next secret can be shown beside the present', async () => {
    const recipient = await newRecipient(scene);
    const { secret } = recipient.endpoint;
    expect(await reveal(recipient)).toEqual({ secret, nextSecret: null });
    const prepared = await prepare(recipient);
    expect(prepared.nextSecret).toMatch(/^whsec_/);
    expect(prepared).toMatchObject({ id: recipient.endpoint.id, secretPrepared: true });
    expect(await reveal(recipient)).toEqual({ secret, nextSecret: prepared.nextSecret });
    await expectSignedWith(await nextRequest(recipient), secret, prepared.nextSecret);
  });

  it('switched: the next attempt is signed with the prepared one alone, and the old one is gone', async () => {
    const recipient = await newRecipient(scene);
    const { secret } = recipient.endpoint;
    const { nextSecret } = await prepare(recipient);
    expect(await switchOver(recipient)).toMatchObject({ secretPrepared: false });
    expect(await reveal(recipient)).toEqual({ secret: nextSecret, nextSecret: null });
    await expectSignedWith(await nextRequest(recipient), nextSecret, secret);
  });

  it('a retry in progress is signed with the prepared secret from the switch on, body unchanged', async () => {
    const recipient = await newRecipient(scene, status(503));
    const { secret } = recipient.endpoint;
    const [eventId = ''] = await recipient.move(1);
    const { deliveryId } = await scene.waitingForRetry(eventId);
    const { nextSecret } = await prepare(recipient);
    const retry = () =>
      scene.workflowOf(eventId).executeUpdate(retryNowUpdate, { args: [deliveryId] });
    await retry();
    await gotRequests(recipient.hook, 2);
    await scene.statusesWhen(eventId, ([one]) => one!.attemptsMade === 2 && !!one!.nextAttemptAt);
    await switchOver(recipient);
    recipient.answer = status(200);
    await retry();
    await recipient.settled();
    const [first, second, third] = recipient.hook.received;
    await expectSignedWith(first!, secret, nextSecret);
    await expectSignedWith(second!, secret, nextSecret);
    await expectSignedWith(third!, nextSecret, secret);
    expect(third!.body.equals(first!.body)).toBe(true);
  });

  it('prepared again: the newer one is what is switched to', async () => {
    const recipient = await newRecipient(scene);
    const { nextSecret: first } = await prepare(recipient);
    const { nextSecret: second } = await prepare(recipient);
    expect(second).not.toBe(first);
    await switchOver(recipient);
    await expectSignedWith(await nextRequest(recipient), second, first);
  });

  it('a switch without a prepared secret, and a second switch, are conflicts that change nothing', async () => {
    const recipient = await newRecipient(scene);
    const before = await row(recipient);
    await expect(switchOver(recipient)).rejects.toMatchObject({ code: 'conflict' });
    expect(await row(recipient)).toEqual(before);
    await prepare(recipient);
    const both = await Promise.allSettled([switchOver(recipient), switchOver(recipient)]);
    expect(both.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    await expect(switchOver(recipient)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('at once, for a secret that has leaked', () => {
  it('a new one is in use from the next attempt on; a prepared one is dropped with the old', async () => {
    const recipient = await newRecipient(scene);
    const { nextSecret } = await prepare(recipient);
    const switched = await now(recipient);
    expect(switched).toMatchObject({ secretPrepared: false });
    expect(await reveal(recipient)).toEqual({ secret: switched.secret, nextSecret: null });
    const { secret } = recipient.endpoint;
    await expectSignedWith(await nextRequest(recipient), switched.secret, secret, nextSecret);
    await expect(switchOver(recipient)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('secrets at rest', () => {
  it('are encrypted: neither is found in any byte of the row, in any common spelling', async () => {
    const recipient = await newRecipient(scene);
    const { nextSecret } = await prepare(recipient);
    const kept = await row(recipient);
    const everything = Buffer.concat([
      ...[kept.sealedSecret, kept.sealedNextSecret!, Buffer.from(JSON.stringify(kept))],
    ]);
    for (const secret of [recipient.endpoint.secret, nextSecret]) {
      const text = secret.replace('whsec_', '');
      const raw = Buffer.from(text, 'base64');
      for (const spelling of [
        ...[Buffer.from(secret), Buffer.from(text), raw, Buffer.from(text, 'hex')],
        ...[Buffer.from(raw.toString('hex')), Buffer.from(Buffer.from(secret).toString('base64'))],
      ]) {
        if (spelling.length >= 8) expect(everything.includes(spelling)).toBe(false);
      }
    }
    expect(kept.sealedSecret.equals(kept.sealedNextSecret!)).toBe(false);
  });

  it('a prepared one is sealed for its endpoint: moved to another it does not open', async () => {
    const [recipient, other] = [await newRecipient(scene), await newRecipient(scene)];
    await prepare(recipient);
    const { sealedNextSecret } = await row(recipient);
    await scene.records.database
      .sql`update endpoints set sealed_next_secret = ${sealedNextSecret!} where id = ${other.endpoint.id}`;
    await expect(reveal(other)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('of a deleted endpoint are gone from the row, the prepared one too', async () => {
    const recipient = await newRecipient(scene);
    await prepare(recipient);
    await deleteEndpoint(scene.records.context, recipient.which);
    const kept = await row(recipient);
    expect(kept).toMatchObject({ state: 'deleted', sealedNextSecret: null });
    expect(kept.sealedSecret).toHaveLength(0);
    await expect(reveal(recipient)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are never among what an endpoint is shown as', async () => {
    const recipient = await newRecipient(scene);
    await prepare(recipient);
    const shown = await requireEndpoint(scene.records.db, recipient.which);
    expect(JSON.stringify(shown)).not.toMatch(/whsec_|sealed/i);
  });
});

it("a deleted endpoint's, another account's and an unknown one's: not_found, alike", async () => {
  const [recipient, stranger] = [await newRecipient(scene), await newRecipient(scene)];
  const before = await row(recipient);
  await deleteEndpoint(scene.records.context, stranger.which);
  const { accountId } = stranger;
  const ids = [recipient.endpoint.id, stranger.endpoint.id, newId('endpoint')];
  for (const endpointId of ids) {
    for (const verb of [prepareSecret, switchSecret, switchSecretNow, revealSecret]) {
      const refused = verb(scene.records.context, { accountId, endpointId });
      await expect(refused).rejects.toMatchObject({ message: 'No such endpoint.' });
    }
  }
  expect(await row(recipient)).toEqual(before);
});
