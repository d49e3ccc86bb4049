import { ApplicationFailure } from '@temporalio/common';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mails } from '../../drizzle/schema.ts';
import { newId } from '../../src/ids.ts';
import { createDeliverMail } from '../../src/mail/deliver-mail.ts';
import type { Mailer, OutgoingMail } from '../../src/mail/mailer.ts';
import { MailRefusedError } from '../../src/mail/smtp-error.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

let records: TestRecords;
beforeAll(async () => {
  records = await createTestRecords();
});
afterAll(() => records.close());

async function newMail(): Promise<string> {
  const { id: accountId, email } = await records.newAccount();
  const id = newId('mail');
  await records.db.insert(mails).values({
    ...{ id, accountId, recipient: email, about: id },
    ...{ subject: 'Paused', body: 'Hello.\n' },
  });
  return id;
}

async function readMail(id: string) {
  const [mail] = await records.db.select().from(mails).where(eq(mails.id, id));
  return mail ?? expect.fail('there is no such mail');
}

/** A mailer that remembers what it was given and then does as it is told. */
function recordingMailer(then: () => Promise<void> = () => Promise.resolve()) {
  const sent: OutgoingMail[] = [];
  const mailer: Mailer = {
    send: (mail) => {
      sent.push(mail);
      return then();
    },
    close: () => undefined,
  };
  return { sent, deliver: createDeliverMail({ db: records.db, mailer }) };
}

test('a mail is sent as it was written, and marked', async () => {
  const mailId = await newMail();
  const written = await readMail(mailId);
  expect(written).toMatchObject({ sentAt: null, expectedAt: expect.any(String) as string });
  const { sent, deliver } = recordingMailer();
  await deliver({ mailId });
  const { id, recipient, subject, body, createdAt } = written;
  expect(sent).toEqual([expect.objectContaining({ id, recipient, subject, body, createdAt })]);
  const marked = await readMail(mailId);
  expect(marked).toMatchObject({ expectedAt: null, sentAt: expect.any(String) as string });
});

test('a mail that is sent, and one that is not there, are left alone', async () => {
  const mailId = await newMail();
  const { sent, deliver } = recordingMailer();
  await deliver({ mailId });
  const first = await readMail(mailId);
  await deliver({ mailId });
  await deliver({ mailId: newId('mail') });
  expect(sent).toHaveLength(1);
  expect(await readMail(mailId)).toEqual(first);
});

test('a refusal is tried again in an hour, and the mail stays unsent', async () => {
  const mailId = await newMail();
  const refused = new MailRefusedError('550 no such user');
  const { deliver } = recordingMailer(() => Promise.reject(refused));
  const error: unknown = await deliver({ mailId }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApplicationFailure);
  expect(error).toMatchObject({
    ...{ type: 'MailRefusedError', message: '550 no such user' },
    ...{ nonRetryable: false, nextRetryDelay: '1h' },
  });
  expect(await readMail(mailId)).toMatchObject({ sentAt: null });
});

test('any other failure is passed on as it is, and the mail stays unsent', async () => {
  const mailId = await newMail();
  const away = new Error('connect ECONNREFUSED');
  const { deliver } = recordingMailer(() => Promise.reject(away));
  await expect(deliver({ mailId })).rejects.toBe(away);
  expect(await readMail(mailId)).toMatchObject({ sentAt: null });
});

test('a mail that two send at once is marked once', async () => {
  const mailId = await newMail();
  let marked: string | null = null;
  const { deliver } = recordingMailer(async () => {
    await recordingMailer().deliver({ mailId });
    marked = (await readMail(mailId)).sentAt;
  });
  await deliver({ mailId });
  expect(marked).not.toBeNull();
  expect((await readMail(mailId)).sentAt).toBe(marked);
});
