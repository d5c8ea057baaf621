// Takes the screenshots of the README (docs/images) from a service in this process. Its clock starts a day ago and moves by an hour after
// each group of calls, so that the charts of the console show a day.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { openStore } from '../src/main/open-store.ts';
import { serve } from '../src/main/serve.ts';
import { startSandbox } from '../src/sandbox/sandbox.ts';
import { readConfig } from '../src/shared/config/config.ts';
import { systemRuntime } from '../src/shared/runtime/runtime.ts';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (!existsSync(executablePath)) throw new Error(`There is no Chromium at ${executablePath}: set CHROMIUM`);
const images = join(import.meta.dirname, '..', 'docs', 'images');
const hourMs = 3_600_000;

let hoursAgo = 23;
const runtime = { ...systemRuntime, now: () => Date.now() - hoursAgo * hourMs };
const dataDir = mkdtempSync(join(tmpdir(), 'postern-screenshots-'));
const config = readConfig({
  PORT: '0',
  SANDBOX_PORT: '0',
  DATA_DIR: dataDir,
  LOG_LEVEL: 'silent',
  SANDBOX_ACTIVITY: '0',
});
// The store runs in this thread, because a thread of its own would use its own clock.
// Worker threads cannot load TypeScript.
const service = await serve(config, {
  runtime,
  openStore: () => openStore(config, runtime),
  startSandbox: async (options) => ({ ...(await startSandbox(options)), onExit: () => {} }),
  tasks: { worker: new URL('../dist/main/task-worker.js', import.meta.url) },
});
const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
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
rmSync(dataDir, { recursive: true });

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
