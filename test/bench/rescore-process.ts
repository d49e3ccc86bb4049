import { openDatabase } from '../../src/db/client.ts';
import { continueRescore } from '../../src/rescore/continue-rescore.ts';
import { readRescore } from '../../src/rescore/rescore-run.ts';
import { requestRescore } from '../../src/rescore/start-rescore.ts';
import { appUrls } from '../../src/urls.ts';
import { now, type FromRescorer } from './messages.ts';

/*
 * One rescore from its request to its end, in a process of its own, so that its memory is its own.
 * Arguments: the database's URL, parcels in a batch, the cap.
 */
const [url = '', batch = '', cap = ''] = process.argv.slice(2);

const database = openDatabase(url, { max: 4, name: 'bench rescore' });
const { db } = database;
const context = {
  db,
  style: { serviceName: 'Lead Events', urls: appUrls('https://app.example.com') },
  // Nothing is delivered here, so what was recorded would soon be a backlog.
  limits: { batch: Number(batch), cap: Number(cap), backlog: 100_000_000 },
};
const startedAt = now();
const { run: begun } = await requestRescore(db, { trigger: 'request' });
let state = 'running';
while (state === 'running') {
  const progress = await continueRescore(context, begun.id);
  state = progress.state;
  process.stderr.write(`${progress.parcels} parcels, ${progress.events} events\n`);
}
const seconds = (now() - startedAt) / 1000;
const run = await readRescore(db, begun.id);
await database.close();
const { parcels, changed, events, heldBack, summaries } = run;
process.send?.({
  ...{ kind: 'done', seconds, parcels, changed, events, heldBack, summaries },
  // In kilobytes on all systems.
  peakMegabytes: process.resourceUsage().maxRSS / 1024,
  cpuSeconds: (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
} satisfies FromRescorer);
process.disconnect();
