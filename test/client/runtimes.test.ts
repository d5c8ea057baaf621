import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { signedHeaders } from '../../src/webhooks/delivery/signatures.ts';
import { browserMissing, openBrowser } from '../browser/browser.ts';
import vectors from './vectors.json' with { type: 'json' };

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const kit = fileOf('../../dist/client/webhooks/index.js');
const scenario = fileOf('./scenario.mjs');

const body = JSON.stringify({ id: 'evt_1', type: 'tweet.mention', text: 'Grüße 👋' });
const secrets = { secret: 'a-secret-of-16-characters', proven: true, previous: null, encryptionCode: null };
const headers = signedHeaders({ eventId: 'evt_1', attempt: 2, body, now: Date.UTC(2026, 10, 21, 12, 0, 0) }, secrets);
const input = JSON.stringify({ signed: { body, headers }, vectors: vectors.cases });
const passed = { checks: 15, failed: [] };

test('the built kit works without the modules and globals of Node', () => {
  const args = ['--experimental-vm-modules', '--no-warnings', fileOf('./without-node.mjs'), kit, scenario, input];
  expect(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))).toEqual(passed);
});

test.skipIf(browserMissing !== null)(
  `the built kit works in a browser${browserMissing ? ` (${browserMissing})` : ''}`,
  async () => {
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const module = (file: string) => `data:text/javascript;base64,${readFileSync(file).toString('base64')}`;
    const result = await page.evaluate(
      `(async () => (await import('${module(scenario)}')).run(await import('${module(kit)}'), ${input}))()`,
    );
    expect(result).toEqual(passed);
  },
);
