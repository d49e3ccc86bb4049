import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/index.ts';
import { CONFIG_VARIABLES, readConfig } from '../../src/config.ts';
import { composeFaults, projectFile, readComposeFile } from './compose-file.ts';

const compose = readComposeFile();
const services = Object.entries(compose.services);
const ours = services.filter(([, service]) => service.build !== undefined);

describe('the compose file', () => {
  test('is valid by the schema of the compose specification', () => {
    expect(composeFaults(compose)).toEqual([]);
  });

  test.each([
    ['a service with an unknown key', { ...compose.services['api'], comand: ['api'] }],
    ['a health check that is not one', { ...compose.services['api'], healthcheck: 'curl' }],
    ['a grace period without a unit', { ...compose.services['api'], stop_grace_period: '30' }],
    ['a dependency on a made-up condition', { depends_on: { migrate: { condition: 'done' } } }],
  ])('would not be with %s', (_fault, api) => {
    const broken = { ...compose, services: { ...compose.services, api } };
    expect(composeFaults(broken)).not.toEqual([]);
  });

  test('names only services and volumes that are there', () => {
    const waited = services.flatMap(([, { depends_on = {} }]) => Object.keys(depends_on));
    const mounted = services.flatMap(([, { volumes = [] }]) => volumes.map(volumeName));
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(waited));
    expect(new Set(mounted)).toEqual(new Set(Object.keys(compose.volumes)));
  });

  test('waits for health where there is a check, and for the end of what ends', () => {
    for (const [name, { depends_on = {} }] of services) {
      for (const [target, { condition }] of Object.entries(depends_on)) {
        const { healthcheck, restart } = compose.services[target] ?? {};
        const ends = restart === 'on-failure';
        expect([name, target, condition]).toEqual([
          ...[name, target],
          ends ? 'service_completed_successfully' : 'service_healthy',
        ]);
        expect(ends || healthcheck, `${target} can be waited for`).toBeTruthy();
      }
    }
  });

  test('restarts everything', () => {
    const policies = services.map(([, { restart }]) => restart);
    expect(new Set(policies)).toEqual(new Set(['unless-stopped', 'on-failure']));
  });

  test('pins every image of others to a version', () => {
    const images = services.filter(([, { build }]) => !build).map(([, { image }]) => image);
    for (const image of images) expect(image).toMatch(/^[a-z/-]+:v?\d+\.\d+/);
  });

  test('publishes ports on this machine only', () => {
    for (const [, { ports = [], network_mode }] of services) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
      expect(network_mode).toBeUndefined();
    }
  });

  test('holds no secret and has no default for one', () => {
    for (const [name, { environment = {} }] of services) {
      for (const [variable, value] of Object.entries(environment)) {
        if (!/PASSWORD|PWD|SECRET|DATABASE_URL/.test(variable)) continue;
        expect(value, `${name} ${variable}`).toMatch(/\$\{[A-Z_]+:\?[^}]+\}/);
      }
    }
  });

  test('gives our processes commands that exist and only variables that are read', () => {
    const commands = COMMANDS.map(({ name }) => name);
    expect(ours.map(([name]) => name)).toEqual(['migrate', 'api', 'worker']);
    for (const [, { command, environment = {} }] of ours) {
      expect(commands).toContain(command?.join(' '));
      const unknown = Object.keys(environment).filter(
        (name) => !CONFIG_VARIABLES.includes(name) && !name.startsWith('TEMPORAL_'),
      );
      expect(unknown).toEqual([]);
    }
  });

  test('gives our processes an environment that is accepted in production', () => {
    const given = { POSTGRES_PASSWORD: 'secret', SECRET_KEY: 'ab'.repeat(32) };
    for (const [, { environment = {} }] of ours) {
      const values = Object.entries(environment).map(([name, value]) => [
        name,
        interpolate(value, given),
      ]);
      const config = readConfig({ ...Object.fromEntries(values), NODE_ENV: 'production' });
      expect(config).toMatchObject({
        production: true,
        databaseUrl: 'postgres://lead_events:secret@postgres:5432/lead_events',
      });
    }
  });

  test('runs Temporal as the engine on one machine does, with room to grow', () => {
    const { environment = {} } = compose.services['temporal'] ?? {};
    expect(environment['NUM_HISTORY_SHARDS']).toBe('512');
    for (const setting of [
      'system.enableActivityEagerExecution',
      'matching.useNewMatcher',
      'matching.enableFairness',
    ]) {
      expect(environment['DYNAMIC_CONFIG']).toContain(`${setting}: [{ value: true }]`);
    }
    expect(compose.services['worker']?.deploy?.replicas).toBe(2);
  });
});

describe('the Dockerfile', () => {
  const dockerfile = projectFile('Dockerfile');

  test('has one Node.js, of a version that package.json allows', () => {
    const versions = [...dockerfile.matchAll(/^FROM node:(\S+)/gm)].map((match) => match[1] ?? '');
    expect(versions).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+-bookworm-slim$/)]);
    const { engines } = JSON.parse(projectFile('package.json')) as { engines: { node: string } };
    const least = /^>=(\d+)\.(\d+)$/.exec(engines.node)?.slice(1).map(Number) ?? [];
    const [major = 0, minor = 0] = (versions[0] ?? '').split('.').map(Number);
    expect(least).toHaveLength(2);
    expect(major * 1_000 + minor).toBeGreaterThanOrEqual((least[0] ?? 0) * 1_000 + (least[1] ?? 0));
  });

  test('runs as an unprivileged user and takes signals itself', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(last).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(last).toContain('ENV NODE_ENV=production');
    expect(last).toContain('ENTRYPOINT ["node", "dist/src/main.js"]');
  });

  test('copies only what .dockerignore lets in', () => {
    const [first, ...rest] = projectFile('.dockerignore')
      .split('\n')
      .filter((line) => line && !line.startsWith('#'));
    expect(first).toBe('*');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) =>
      (match[1] ?? '').split(' ').map((path) => `!${path.split('/')[0]}`),
    );
    expect(new Set(rest)).toEqual(new Set(copied));
  });
});

/** The volume of `name:/path`. */
function volumeName(volume: string): string {
  return volume.split(':')[0] ?? '';
}

/** What compose makes of `${NAME}`, `${NAME:-default}` and `${NAME:?message}`. */
function interpolate(text: string, given: Record<string, string>): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_all, name: string, kind, rest) =>
    String(given[name] ?? (kind === '-' ? rest : '')),
  );
}
