import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../src/events/catalogue.ts';
import { startContract, type Contract } from './contract.ts';

/* The reference for people, /docs, in a real browser, and the one for language models, /llms.txt. */
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

let contract: Contract;

beforeAll(async () => {
  contract = await startContract();
});
afterAll(() => contract.close());

it('/llms.txt names every route, every event type and the rules', async () => {
  const response = await fetch(`${contract.url}/llms.txt`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  const text = await response.text();
  for (const path of Object.keys(contract.document.paths)) expect(text).toContain(`GET ${path}: `);
  for (const type of EVENT_TYPES) expect(text).toContain(`- ${type}: `);
  for (const rule of [
    'Authorization: Bearer',
    '120 requests',
    'X-SVC-Signature',
    '/openapi.json',
  ]) {
    expect(text).toContain(rule);
  }
});

it('/docs and its files come from here and are what they say', async () => {
  for (const [path, type] of [
    ['/docs', 'text/html'],
    ['/docs/start.js', 'text/javascript'],
    ['/docs/swagger-ui.css', 'text/css'],
    ['/docs/swagger-ui-bundle.js', 'text/javascript'],
    ['/openapi.json', 'application/json'],
  ] as const) {
    const response = await fetch(contract.url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain(type);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    await response.arrayBuffer();
  }
  const page = await fetch(`${contract.url}/docs`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
  expect(await page.text()).not.toMatch(/(?:src|href)="(?!\/|data:)/);
});

const why = existsSync(CHROMIUM)
  ? ''
  : ` (skipped: there is no Chromium at ${CHROMIUM}; CHROMIUM says where one is)`;

describe.skipIf(why !== '')(`/docs in a browser${why}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
    browser = await chromium.launch({ executablePath: CHROMIUM, args });
  });
  afterAll(() => browser.close());

  it('shows all eleven routes, asks nobody else for anything, and has no errors', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1400 } });
    const origins = new Set<string>();
    const errors: string[] = [];
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'data:') origins.add(origin);
    });
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${contract.url}/docs`, { waitUntil: 'networkidle' });
    await page.locator('.opblock-get').first().waitFor();
    const shown = await page
      .locator('.opblock-get .opblock-summary-path')
      .evaluateAll((found) => found.map((element) => element.getAttribute('data-path')));
    expect(shown.toSorted()).toEqual(Object.keys(contract.document.paths).toSorted());
    const file = process.env['SCREENSHOT'];
    if (file) await page.screenshot({ path: file, fullPage: true });
    await page.locator('#operations-Leads-listLeads .opblock-summary-control').click();
    await page.getByText('Sets the lowest score').first().waitFor();
    if (file) await page.screenshot({ path: `${file}.leads.png`, fullPage: true });
    expect([...origins]).toEqual([contract.url]);
    expect(errors).toEqual([]);
  });
});
