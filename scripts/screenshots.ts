// Takes the screenshots of the README (docs/images) from a service in this process. Its clock starts a day ago and moves by an hour after
// each group of calls, so that the charts of the console show a day.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { systemRuntime } from '../src/shared/runtime/runtime.ts';
import { readDemo } from '../test/support/demo.ts';
import { serveHere } from './openapi/performed.ts';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (!existsSync(executablePath)) throw new Error(`There is no Chromium at ${executablePath}: set CHROMIUM`);
const images = join(import.meta.dirname, '..', 'docs', 'images');
const hourMs = 3_600_000;

let hoursAgo = 23;
const runtime = { ...systemRuntime, now: () => Date.now() - hoursAgo * hourMs };
const service = await serveHere(runtime);
const demo = readDemo(service.dataDir);
for (; hoursAgo > 0; hoursAgo--) await makeCalls(8 + ((hoursAgo * 7) % 11));
await makeCalls(6);

const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-quic', '--disable-background-networking'],
});
mkdirSync(images, { recursive: true });
await takeScreenshot('console', 'light', async (page) => {
  await page.goto(`${service.origin}/console`);
  await page.locator('.uplot').nth(1).waitFor();
});
await takeScreenshot('explorer', 'dark', async (page) => {
  await page.goto(`${service.origin}/console/explore`);
  await page.getByRole('link', { name: 'from:grace' }).click();
  await page.locator('article').first().waitFor();
  await page.getByText('GraphQL', { exact: true }).click();
});
await browser.close();
await service.stop();

async function takeScreenshot(name: string, colorScheme: 'light' | 'dark', open: (page: Page) => Promise<void>) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme });
  await open(page);
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(images, `${name}.png`), animations: 'disabled' });
  await page.close();
}

/** Makes some rounds of calls, of which a few fail. */
async function makeCalls(rounds: number) {
  const headers = { authorization: `Bearer ${demo.apiKey}`, 'x-auth-token': demo.accounts[0].authToken };
  const paths = ['/tweet/advanced_search?q=from:grace', '/user/info?userName=grace', '/user/followers?userName=ada'];
  for (let round = 0; round < rounds; round++) {
    const more = round % 5 === 0 ? ['/user/info?userName=nobody_of_this_name', '/article/list'] : [];
    for (const path of [...paths, ...more]) await (await fetch(demo.baseUrl + path, { headers })).arrayBuffer();
  }
}
