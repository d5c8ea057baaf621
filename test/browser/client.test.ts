import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { webScenario } from '../client/web-scenario.ts';
import { startService } from '../support/service.ts';
import { browserMissing, openBrowser, openPage } from './browser.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** The page and its modules have the origin of the service. */
const files = [
  { path: '/page', contentType: 'text/html', body: '<!doctype html><title>A page</title>' },
  { path: '/client.js', contentType: 'text/javascript', body: read('../../dist/client/index.js') },
  { path: '/scenario.js', contentType: 'text/javascript', body: read('../client/client-scenario.mjs') },
];

test.skipIf(browserMissing !== null)(
  `the built client works in a browser${browserMissing ? ` (${browserMissing})` : ''}`,
  async () => {
    const service = await startService();
    onTestFinished(service.stop);
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const { page, faults } = await openPage(browser, service.origin, { width: 800, height: 600 });
    for (const { path, ...file } of files) await page.route(service.origin + path, (route) => route.fulfill(file));
    await page.goto(`${service.origin}/page`);
    const { input, result } = webScenario(service);
    const run = `(async () => (await import('/scenario.js')).run(await import('/client.js'), ${input}))()`;
    expect(await page.evaluate(run)).toEqual(result);
    // The browser reports the 404 of the scenario.
    expect(faults.filter((fault) => !fault.includes('status of 404'))).toEqual([]);
  },
);
