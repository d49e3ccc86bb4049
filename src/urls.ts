/** The pages of the application that payloads and mails link to: one table of routes for all of them. */
export interface AppUrls {
  lead(county: string, accountNum: string): string;
  deal(dealId: string): string;
  campaign(campaignId: string): string;
  rescore(runId: string): string;
  endpoint(endpointId: string): string;
}

/** Makes the links under the public base URL, which has no trailing slash. */
export function appUrls(publicUrl: string): AppUrls {
  const page = (...segments: string[]) =>
    [publicUrl, ...segments.map((segment) => encodeURIComponent(segment))].join('/');
  return {
    lead: (county, accountNum) => page('leads', county, accountNum),
    deal: (dealId) => page('deals', dealId),
    campaign: (campaignId) => page('campaigns', campaignId),
    rescore: (runId) => page('rescores', runId),
    endpoint: (endpointId) => page('integrations', 'endpoints', endpointId),
  };
}
