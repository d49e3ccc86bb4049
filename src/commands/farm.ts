import { createFarm } from '../farms/create-farm.ts';
import { updateFarm } from '../farms/update-farm.ts';
import { readFarms } from '../leads/read-sources.ts';
import { UsageError, type Command } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { nameOption } from './source-options.ts';
import { listing, table } from './table.ts';

export const farmCreate: Command = {
  name: 'farm create',
  summary: 'watch a piece of land',
  options: {
    name: nameOption,
    corners: {
      value: 'lng,lat;…',
      help: '3 to 500 corners in order: --corners="-96.9,33.1;-96.8,33.1;-96.8,33.2"',
      required: true,
    },
    'no-alerts': { help: 'send no alerts about it' },
    ...accountOption,
  },
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const { name = '', corners = '' } = input.options;
      const farm = await createFarm(db, {
        ...{ accountId, name, corners: parseCorners(corners) },
        alertsEnabled: input.options['no-alerts'] === undefined,
      });
      const text = listing({ farm: farm.id, name: farm.name, corners: String(farm.area.length) });
      return { json: farm, text };
    }),
};

export const farmUpdate: Command = {
  name: 'farm update',
  summary: 'turn the alerts of a farm on or off',
  args: ['farm id'],
  options: {
    alerts: { value: 'on|off', help: 'whether to tell of leads that become hot', required: true },
    ...accountOption,
  },
  run(input) {
    const alertsEnabled = parseSwitch('alerts', input.options['alerts']);
    return withAccount(input, async ({ db }, accountId) => {
      const farmId = input.args['farm id'] ?? '';
      const farm = await updateFarm(db, { accountId, farmId, alertsEnabled });
      const alerts = farm.alertsEnabled ? 'on' : 'off';
      return { json: farm, text: listing({ farm: farm.id, name: farm.name, alerts }) };
    });
  },
};

export const farmList: Command = {
  name: 'farm list',
  summary: "show an account's farms",
  options: accountOption,
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const farms = await readFarms(db, accountId);
      const rows = farms.map(({ id, alerts_enabled: alerts, parcels, name }) => [
        ...[id, alerts ? 'on' : 'off', String(parcels), name],
      ]);
      return { json: farms, text: table(['farm', 'alerts', 'parcels', 'name'], rows) };
    }),
};

function parseSwitch(name: string, text: string | undefined): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new UsageError(`--${name}: must be on or off, not "${text}"`);
}

/** `lng,lat;lng,lat;…`, longitude first. */
function parseCorners(text: string): unknown[] {
  const corners = text.split(';').flatMap((corner) => (corner.trim() ? [corner.trim()] : []));
  return corners.map((corner) => {
    const [lng, lat, ...more] = corner.split(',').map((part) => part.trim());
    if (![lng, lat].every((part) => /^-?\d{1,3}(\.\d+)?$/.test(part ?? '')) || more.length > 0) {
      throw new UsageError(`--corners: "${corner}" is not lng,lat in degrees`);
    }
    return { lng: Number(lng), lat: Number(lat) };
  });
}
