import type { Context } from 'hono';
import { z } from 'zod';
import { PLANS } from '../../domain/plan.ts';
import type { CallerEnv } from './authenticated.ts';

/** GET /v1/ping: a test of the connection that says whose key it is (spec §4.2). */
export const pingAnswer = z.object({
  ok: z.literal(true),
  user_id: z.string(),
  plan: z.enum(PLANS),
  scopes: z.array(z.literal('read')),
});

export function ping(context: Context<CallerEnv>) {
  const { accountId, plan } = context.var.caller;
  const answer: z.infer<typeof pingAnswer> = {
    ...{ ok: true, user_id: accountId, plan },
    scopes: ['read'],
  };
  return context.json(answer, 200);
}
