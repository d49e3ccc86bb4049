import { z } from 'zod';
import { TIERS } from '../../domain/tier.ts';
import { parcelFields } from './common.ts';

export const tier = z.enum(TIERS);
export const score = z.int().min(0).max(100);

/** The fields of a lead, in events and in the Read API alike (spec §2.2). */
export const leadFields = {
  ...parcelFields,
  score,
  tier,
  lead_types: z.array(z.string()),
  why: z.string(),
  owner_name: z.string(),
  mailing_address: z.string(),
  deal_url: z.url(),
  crm_note: z.string(),
};

/** The same as an object of its own. */
export const leadObject = z.strictObject(leadFields);

/** What a rescore changed on a lead, besides its current fields (spec §2.3). */
export const rescoredFields = {
  previous_score: score,
  previous_tier: tier,
  rescore_run_id: z.string(),
};

/** The lead that the samples speak of. */
export const sampleLead = {
  parcel_id: 'harris:0660640130020',
  county: 'harris',
  account_num: '0660640130020',
  address: '1204 Alder Creek Ln, Houston, TX 77018',
  city: 'Houston',
  zip: '77018',
  score: 86,
  tier: 'hot' as const,
  lead_types: ['probate', 'absentee-owner', 'long-term-owner'],
  why: 'Probate opened in the last 12 months; owner lives elsewhere; owned for 27 years',
  owner_name: 'Marguerite Delacroix',
  mailing_address: '88 Lakeshore Dr, Austin, TX 78701',
  deal_url: 'https://app.example.com/leads/harris/0660640130020',
  crm_note:
    'Lead Events: 86 Hot | Probate, Absentee owner, Long-term owner | Probate opened in the last 12 months; owner lives elsewhere; owned for 27 years | Marguerite Delacroix, 88 Lakeshore Dr, Austin, TX 78701 | https://app.example.com/leads/harris/0660640130020',
};
