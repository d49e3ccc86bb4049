import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { startOperatorsScene } from './operators-scene.ts';

/*
 * npm run docs:screenshots: makes the pictures of docs/operations.md anew, of the real Temporal UI,
 * with deliveries in the states that the page is about. Needs a Chromium (CHROMIUM says where).
 */
const OUT = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const VIEW = { width: 1360, height: 460 };

if (!existsSync(CHROMIUM)) {
  throw new Error(`There is no Chromium at ${CHROMIUM}; install one, or say where with CHROMIUM.`);
}
await mkdir(OUT, { recursive: true });
const profile = await mkdtemp(join(tmpdir(), 'lead-events-chromium-'));
const scene = await startOperatorsScene((message) => void process.stderr.write(`${message}\n`));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: CHROMIUM,
  viewport: VIEW,
  args: [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  ],
});
try {
  const page = await browser.newPage();
  for (const { name, path, ready, prepare, height = VIEW.height } of scene.pages) {
    await page.setViewportSize({ width: VIEW.width, height });
    await page.goto(scene.uiUrl + path, { waitUntil: 'domcontentloaded' });
    await page.getByText(ready).first().waitFor({ timeout: 60_000 });
    await prepare?.(page);
    await settled(page);
    await page.screenshot({ path: join(OUT, `${name}.png`) });
    process.stderr.write(`${name}.png\n`);
  }
} finally {
  await browser.close();
  await scene.stop();
  await rm(profile, { recursive: true, force: true });
}

/** Waits until the page has stopped loading and drawing. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: 10_000 }).catch(() => undefined);
  await page.waitForTimeout(1_000);
}
