import { listing } from '../commands/table.ts';
import type { Demo } from './start-demo-receiver.ts';
import type { StartedService } from './start-service.ts';

type StartedParts = Pick<StartedService, 'engine' | 'apiUrl' | 'metricsUrl' | 'mail' | 'demo'>;

/** What `start` prints when all is ready: one line of JSON, or the table for people. */
export function startScreen(json: boolean, parts: StartedParts): string {
  return json ? `${JSON.stringify(jsonOf(parts))}\n` : tableOf(parts);
}

function jsonOf({ engine, apiUrl, metricsUrl, mail, demo }: StartedParts) {
  return {
    api_url: apiUrl,
    metrics_url: metricsUrl,
    mail,
    temporal_ui_url: engine.temporalUiUrl,
    database_url: engine.databaseUrl,
    temporal_address: engine.temporalAddress,
    receiver_url: demo?.receiverUrl ?? null,
    account_id: demo?.account.id ?? null,
    endpoint_id: demo?.endpointId ?? null,
    signing_secret: demo?.secret ?? null,
    parcel_id: demo?.parcelId ?? null,
  };
}

function tableOf({ engine, apiUrl, metricsUrl, mail, demo }: StartedParts): string {
  const rows = {
    API: apiUrl,
    'Temporal UI': engine.temporalUiUrl ?? 'not ours: see your Temporal server',
    Temporal: engine.temporalAddress,
    PostgreSQL: engine.databaseUrl,
    Metrics: metricsUrl,
    Mail: mail,
    ...(demo && {
      'Demo receiver': demo.receiverUrl,
      'Demo account': `${demo.account.id}  (${demo.account.email}, ${demo.account.plan})`,
      'Demo endpoint': demo.endpointId,
      'Signing secret': demo.secret,
    }),
  };
  return `
${indent(listing(rows))}
${demo ? suggestions(demo, apiUrl) : ''}
  Ctrl-C stops everything and keeps the data.${demo ? ' What the receiver gets appears below.' : ''}

`;
}

function suggestions(demo: Demo, apiUrl: string): string {
  return `
  Try, in another terminal:
    npm run cli -- deal create --parcel ${demo.parcelId}
    npm run cli -- deal move <deal id> CONTACTED
    npm run cli -- receiver answer 500 --times 2
    npm run cli -- delivery list
    npm run cli -- endpoint test ${demo.endpointId}
    npm run cli -- key create --name trial   (then see ${apiUrl}/docs)
`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
