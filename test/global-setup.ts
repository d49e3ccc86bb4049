import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { readConfig } from '../src/config.ts';
import { migrateDatabase } from '../src/db/migrate.ts';
import { startEngine } from '../src/engine/start-engine.ts';
import { createLog } from '../src/log.ts';
import { bundleWorkflows } from '../src/temporal/bundle.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server's maintenance database, from which test databases are cloned. */
    databaseUrl: string;
    temporalAddress: string;
    /** The file that PostgreSQL logs into. */
    postgresLog: string;
    /** The workflow bundle, made once for all files. */
    bundlePath: string;
    cacheDir: string;
  }
}

/** A database with the schema and nothing in it; each test file gets a clone of its own. */
export const TEMPLATE_DATABASE = 'lead_events_template';

/** Brings a real PostgreSQL and a real Temporal up for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { cacheDir } = readConfig(process.env);
  const dataDir = await mkdtemp(join(tmpdir(), 'lead-events-test-'));
  const log = createLog('warn');
  const progress = (message: string): void => console.log(`  ${message}`);
  const bundling = bundleWorkflows(log);
  bundling.catch(() => undefined);
  const engine = await startEngine({
    ...{ dataDir, cacheDir, progress, log },
    temporal: { headless: true },
  });
  try {
    const admin = postgres(engine.databaseUrl, { max: 1, onnotice: () => undefined });
    await admin.unsafe(`create database ${TEMPLATE_DATABASE}`);
    await admin.end();
    const template = new URL(engine.databaseUrl);
    template.pathname = `/${TEMPLATE_DATABASE}`;
    await migrateDatabase(template.href);
    const bundlePath = join(dataDir, 'workflow-bundle.cjs');
    await writeFile(bundlePath, (await bundling).code);
    project.provide('databaseUrl', engine.databaseUrl);
    project.provide('temporalAddress', engine.temporalAddress);
    project.provide('postgresLog', join(dataDir, 'logs', 'postgres.log'));
    project.provide('bundlePath', bundlePath);
    project.provide('cacheDir', cacheDir);
  } catch (error) {
    await engine.stop();
    throw error;
  }
  return async () => {
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
