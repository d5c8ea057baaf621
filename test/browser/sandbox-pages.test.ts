import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../sandbox/harness.ts';
import { accessibilityProblems } from './axe.ts';
import { browserMissing, openBrowser, openPage, pressOn, scrollsSideways } from './browser.ts';

// The title contains the reason why these tests are skipped.
describe.skipIf(browserMissing !== null)(
  `the pages of the sandbox${browserMissing ? ` (${browserMissing})` : ''}`,
  () => {
    let sandbox: OpenSandbox;
    let browser: Browser;
    let paths: string[];

    beforeAll(async () => {
      sandbox = await openSandbox();
      browser = await openBrowser();
      const one = async (q: string) => (await sandbox.search({ q, count: 1 })).body.tweets[0];
      const { article } = (await sandbox.call('POST', '/api/articles', { as: sandbox.ada })).body;
      const tweets = [await one('from:grace filter:images'), await one('filter:quote')];
      paths = [
        '/grace',
        '/linus',
        ...[...tweets.map((tweet) => tweet.page_url), article.draft_url].map((url) => new URL(url).pathname),
      ];
    });
    afterAll(async () => {
      await browser?.close();
      await sandbox?.close();
    });

    test.each([
      { width: 1280, colorScheme: 'light' },
      { width: 390, colorScheme: 'dark' },
    ] as const)('have no accessibility problem and no sideways scrolling, $width wide, $colorScheme', async (view) => {
      const { width, colorScheme } = view;
      const { page, faults } = await openPage(browser, sandbox.url, { width, height: 900 }, colorScheme);
      for (const path of paths) {
        await page.goto(sandbox.url + path);
        const found = { path, sideways: await scrollsSideways(page), problems: await accessibilityProblems(page) };
        expect(found).toEqual({ path, sideways: false, problems: [] });
      }
      expect(faults).toEqual([]);
      await page.close();
    });

    test('lead from a profile to a tweet by keyboard', async () => {
      const { page } = await openPage(browser, sandbox.url, { width: 390, height: 900 });
      await page.goto(`${sandbox.url}/grace`);
      await pressOn(page.getByRole('article').first().getByRole('link').last());
      await page.waitForURL('**/status/*');
      expect(await page.getByRole('heading').textContent()).toBe('Tweet of Grace Hollis');
      await page.close();
    });
  },
);
