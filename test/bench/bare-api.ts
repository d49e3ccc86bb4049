import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import postgres from 'postgres';

/*
 * What the Read API is measured beside: Hono with one route and one prepared query of one row, on
 * the driver as it comes.
 */
const [databaseUrl = '', accountId = ''] = process.argv.slice(2);
const sql = postgres(databaseUrl, { max: 20 });
const app = new Hono();
app.get('/v1/ping', async (context) => {
  const [account] = await sql`select id, plan from accounts where id = ${accountId}`;
  return context.json({ ok: true, user_id: account?.['id'], plan: account?.['plan'] });
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.send?.({ kind: 'listening', port });
});
