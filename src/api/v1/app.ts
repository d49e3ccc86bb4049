import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { routePath } from 'hono/route';
import { createAuthenticator } from '../../api-keys/authenticator.ts';
import type { Db } from '../../db/client.ts';
import { readDeal, readDeals } from '../../deals/read-deals.ts';
import type { LeadStyle } from '../../leads/lead-data.ts';
import { listLeads } from '../../leads/list-leads.ts';
import { readFarms, readLists, readSearches } from '../../leads/read-sources.ts';
import { lookUpLead, showLead } from '../../leads/show-lead.ts';
import { readOrders } from '../../orders/read-orders.ts';
import { authenticated, type CallerEnv } from './authenticated.ts';
import { invalidParameters, unknownParameters } from './invalid-parameters.ts';
import { ping } from './ping.ts';
import * as routes from './routes.ts';
import { sampleEvents } from './sample-events.ts';

export interface ReadApiDependencies {
  db: Db;
  style: LeadStyle;
}

/** The Read API: eleven routes, all of them GET, all of them with a key (spec §4.2). */
export function createReadApi({ db, style }: ReadApiDependencies): OpenAPIHono<CallerEnv> {
  const app = new OpenAPIHono<CallerEnv>({
    defaultHook(result, context) {
      const allowed = routes.PARAMETER_NAMES.get(routePath(context)) ?? [];
      // Hono's record of the query loses names such as __proto__ and the empty one.
      const names = new Set(new URL(context.req.url).searchParams.keys());
      const unknown = [...names].filter((name) => !allowed.includes(name));
      if (unknown.length > 0) throw unknownParameters(unknown, allowed);
      if (!result.success) throw invalidParameters(result.error, given(context));
    },
  });
  app.use('/v1/*', authenticated(createAuthenticator(db)));
  const { urls } = style;

  app.openapi(routes.ping, ping);
  app.openapi(routes.samples, (context) => {
    const { accountId } = context.var.caller;
    return context.json({ events: sampleEvents(accountId) }, 200);
  });
  app.openapi(routes.lists, async (context) =>
    context.json({ lists: await readLists(db, context.var.caller.accountId) }, 200),
  );
  app.openapi(routes.farms, async (context) =>
    context.json({ farms: await readFarms(db, context.var.caller.accountId) }, 200),
  );
  app.openapi(routes.searches, async (context) =>
    context.json({ searches: await readSearches(db, context.var.caller.accountId) }, 200),
  );
  app.openapi(routes.leads, async (context) => {
    const {
      tier,
      min_score: minScore,
      lead_type: leadType,
      limit,
      offset,
      ...ids
    } = context.req.valid('query');
    const query = { source: routes.sourceOf(ids), tier, minScore, leadType, limit, offset };
    return context.json(await listLeads({ db, style }, context.var.caller, query), 200);
  });
  // Before /v1/leads/{county}/{account_num} would not matter: it has one segment less.
  app.openapi(routes.lookup, async (context) => {
    const place = context.req.valid('query');
    return context.json({ leads: await lookUpLead({ db, style }, context.var.caller, place) }, 200);
  });
  app.openapi(routes.lead, async (context) => {
    const { county, account_num: accountNum } = context.req.valid('param');
    const lead = await showLead({ db, style }, context.var.caller, { county, accountNum });
    return context.json({ lead }, 200);
  });
  app.openapi(routes.deals, async (context) => {
    const { updated_since: updatedSince, ...query } = context.req.valid('query');
    const { accountId } = context.var.caller;
    return context.json(await readDeals({ db, urls }, accountId, { ...query, updatedSince }), 200);
  });
  app.openapi(routes.deal, async (context) => {
    const { deal_id: dealId } = context.req.valid('param');
    const { accountId } = context.var.caller;
    return context.json({ deal: await readDeal({ db, urls }, accountId, dealId) }, 200);
  });
  app.openapi(routes.orders, async (context) => {
    const query = context.req.valid('query');
    return context.json(await readOrders({ db, urls }, context.var.caller, query), 200);
  });
  return app;
}

/** The parameters as they came, for the message: one that was given twice is a list. */
function given(context: Context): Record<string, unknown> {
  const query = Object.entries(context.req.queries()).map(
    ([name, values]) => [name, values.length === 1 ? values[0] : values] as const,
  );
  return { ...Object.fromEntries(query), ...context.req.param() };
}
