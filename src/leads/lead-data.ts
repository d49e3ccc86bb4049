import type { z } from 'zod';
import { LEAD_TYPES } from '../domain/lead-type.ts';
import type { Plan } from '../domain/plan.ts';
import { describeReasons, evaluate, visibleReasons, type Reason } from '../domain/score.ts';
import { TIER_LABELS, tierOf } from '../domain/tier.ts';
import type { leadObject } from '../events/shapes/lead.ts';
import { signalsOf, type ParcelRow } from '../parcels/evaluate-parcel.ts';
import { parcelData } from '../parcels/parcel-data.ts';
import type { AppUrls } from '../urls.ts';

/** A lead as events and the Read API both show it (spec §2.2). */
export type LeadData = z.input<typeof leadObject>;

/** What texts about leads are made with. */
export interface LeadStyle {
  serviceName: string;
  urls: AppUrls;
}

/**
 * A parcel as a lead, for an account of this plan: lead types and reasons above the plan are left
 * out, wherever they would show. Score and reasons are those of the day it was scored on.
 */
export function leadData(
  parcel: ParcelRow,
  plan: Plan,
  { serviceName, urls }: LeadStyle,
): LeadData {
  const { county, accountNum, score, ownerName, mailingAddress } = parcel;
  const reasons = visibleReasons(evaluate(signalsOf(parcel), parcel.scoredOn).reasons, plan);
  const lead = {
    ...parcelData(parcel),
    ...{ score, tier: tierOf(score) },
    lead_types: reasons.map(({ type }) => type),
    why: describeReasons(reasons),
    owner_name: ownerName,
    mailing_address: mailingAddress,
    deal_url: urls.lead(county, accountNum),
  };
  return { ...lead, crm_note: crmNote(lead, reasons, serviceName) };
}

/** One line for a CRM's note field; what is not known is left out. */
function crmNote(
  lead: Omit<LeadData, 'crm_note'>,
  reasons: readonly Reason[],
  serviceName: string,
): string {
  const labels = reasons.map(({ type }) => LEAD_TYPES[type].label).join(', ');
  const owner = [lead.owner_name, lead.mailing_address].filter(Boolean).join(', ');
  const parts = [`${lead.score} ${TIER_LABELS[lead.tier]}`, labels, lead.why, owner, lead.deal_url];
  return `${serviceName}: ${parts.filter(Boolean).join(' | ')}`;
}
