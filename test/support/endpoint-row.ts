import { asc, eq, like } from 'drizzle-orm';
import { endpoints, mails } from '../../drizzle/schema.ts';
import { notFound } from '../../src/errors.ts';
import type { TestRecords } from './records.ts';

/** What Postgres keeps of an endpoint. */
export async function endpointRow({ db }: TestRecords, endpointId: string) {
  const [row] = await db.select().from(endpoints).where(eq(endpoints.id, endpointId));
  if (!row) throw notFound('endpoint');
  return row;
}

/** The mails about an endpoint, the oldest first: what kind each is, and the mail. */
export async function mailsAbout({ db }: TestRecords, endpointId: string) {
  const rows = await db
    .select()
    .from(mails)
    .where(like(mails.about, `%:${endpointId}:%`))
    .orderBy(asc(mails.createdAt));
  return rows.map((mail) => ({ kind: mail.about.split(':')[0], ...mail }));
}
