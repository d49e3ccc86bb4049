import type { DemoSeed } from '../demo/seed.ts';
import type { Engine } from '../engine/engine-options.ts';
import { listing } from '../commands/table.ts';

export interface StartedParts {
  engine: Engine;
  apiUrl: string;
  receiverUrl: string;
  demo: DemoSeed | undefined;
}

/** What `start` prints when all is ready: one line of JSON, or the table for people. */
export function startScreen(json: boolean, parts: StartedParts): string {
  return json ? `${JSON.stringify(jsonOf(parts))}\n` : tableOf(parts);
}

function jsonOf({ engine, apiUrl, receiverUrl, demo }: StartedParts) {
  return {
    api_url: apiUrl,
    temporal_ui_url: engine.temporalUiUrl,
    database_url: engine.databaseUrl,
    temporal_address: engine.temporalAddress,
    receiver_url: receiverUrl,
    account_id: demo?.account.id ?? null,
    endpoint_id: demo?.endpointId ?? null,
    signing_secret: demo?.secret ?? null,
    parcel_id: demo?.parcelId ?? null,
  };
}

function tableOf({ engine, apiUrl, receiverUrl, demo }: StartedParts): string {
  const rows = {
    API: apiUrl,
    'Temporal UI': engine.temporalUiUrl ?? 'not ours: see your Temporal server',
    Temporal: engine.temporalAddress,
    PostgreSQL: engine.databaseUrl,
    'Demo receiver': receiverUrl,
    ...(demo && {
      'Demo account': `${demo.account.id}  (${demo.account.email}, ${demo.account.plan})`,
      'Demo endpoint': demo.endpointId,
      'Signing secret': demo.secret,
    }),
  };
  const tries = demo
    ? [
        `npm run cli -- deal create --parcel ${demo.parcelId}`,
        'npm run cli -- deal move <deal id> CONTACTED',
        'npm run cli -- receiver answer 500 --times 2',
        'npm run cli -- delivery list',
      ]
    : [];
  return `
${indent(listing(rows))}

  Try, in another terminal:
${tries.map((line) => `    ${line}`).join('\n')}

  Ctrl-C stops everything and keeps the data. What the receiver gets appears below.

`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
