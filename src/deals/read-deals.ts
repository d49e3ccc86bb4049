import { and, count, desc, eq, gte } from 'drizzle-orm';
import type { z } from 'zod';
import { deals, parcels } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { inSnapshot } from '../db/in-snapshot.ts';
import type { DealStatus } from '../domain/deal-status.ts';
import { notFound } from '../errors.ts';
import type { dealObject } from '../events/shapes/deal.ts';
import { parcelData } from '../parcels/parcel-data.ts';
import type { AppUrls } from '../urls.ts';
import { dealMoney, dealPlan, dealStanding, type Deal, type Parcel } from './deal-data.ts';

/** A deal as the Read API shows it (spec §2.5). */
export type DealData = z.input<typeof dealObject>;

interface Context {
  db: Db;
  urls: AppUrls;
}

/** A page of an account's deals, newest activity first (spec §4.4). */
export async function readDeals(
  { db, urls }: Context,
  accountId: string,
  query: {
    status?: DealStatus | undefined;
    updatedSince?: string | undefined;
    limit: number;
    offset: number;
  },
) {
  const { status, updatedSince, limit, offset } = query;
  const wanted = and(
    eq(deals.accountId, accountId),
    status && eq(deals.status, status),
    updatedSince === undefined ? undefined : gte(deals.lastActivityAt, updatedSince),
  );
  // One snapshot, so that the total is that of the page's moment.
  return inSnapshot(db, async (tx) => {
    const rows = await tx
      .select({ deal: deals, parcel: parcels })
      .from(deals)
      .innerJoin(parcels, eq(parcels.id, deals.parcelId))
      .where(wanted)
      .orderBy(desc(deals.lastActivityAt), desc(deals.id))
      .limit(limit)
      .offset(offset);
    const [all] = await tx.select({ total: count() }).from(deals).where(wanted);
    return {
      deals: rows.map(({ deal, parcel }) => dealData(deal, parcel, urls)),
      ...{ total: all?.total ?? 0, limit, offset },
    };
  });
}

/** One deal of the account, or `not_found`. */
export async function readDeal(
  { db, urls }: Context,
  accountId: string,
  dealId: string,
): Promise<DealData> {
  const [row] = await db
    .select({ deal: deals, parcel: parcels })
    .from(deals)
    .innerJoin(parcels, eq(parcels.id, deals.parcelId))
    .where(and(eq(deals.accountId, accountId), eq(deals.id, dealId)));
  if (!row) throw notFound('deal');
  return dealData(row.deal, row.parcel, urls);
}

function dealData(deal: Deal, parcel: Parcel, urls: AppUrls): DealData {
  return {
    deal_id: deal.id,
    ...parcelData(parcel),
    status: deal.status,
    ...dealStanding(deal),
    note: deal.note,
    ...dealPlan(deal),
    buyer_phone: deal.buyerPhone,
    buyer_email: deal.buyerEmail,
    title_company: deal.titleCompany,
    created_via: deal.createdVia,
    money: dealMoney(deal),
    stage_entered_at: deal.stageEnteredAt,
    last_activity_at: deal.lastActivityAt,
    created_at: deal.createdAt,
    updated_at: deal.updatedAt,
    deal_url: urls.deal(deal.id),
  };
}
