import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../sandbox/harness.ts';
import { accessibilityProblems } from './axe.ts';
import { browserMissing, openBrowser, openPage, scrollsSideways } from './browser.ts';

const views = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const;

// The title contains the reason why these tests are skipped.
describe.skipIf(browserMissing !== null)(
  `the site of the sandbox${browserMissing ? ` (${browserMissing})` : ''}`,
  () => {
    let sandbox: OpenSandbox;
    let browser: Browser;
    let thread: string;

    beforeAll(async () => {
      sandbox = await openSandbox();
      browser = await openBrowser();
      const { tweets } = (await sandbox.search({ q: 'from:grace filter:images', count: 1 })).body;
      thread = `/grace/status/${tweets[0].id}`;
      await sandbox.control('events', { type: 'mention', userName: 'ada', count: 3 });
      await sandbox.control('events', { type: 'follow', userName: 'ada' });
    });
    afterAll(async () => {
      await browser?.close();
      await sandbox?.close();
    });

    const open = async (view: (typeof views)[number], user?: string) => {
      const { width, colorScheme } = view;
      const watched = await openPage(browser, sandbox.url, { width, height: 900 });
      await watched.page.emulateMedia({ colorScheme });
      // The live page reloads itself every 2 s, which would interrupt its inspection.
      await watched.page.route('**/i/lab/live', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ contentType: 'text/html; charset=utf-8', body: await response.text() });
      });
      if (user !== undefined) {
        await watched.page.goto(sandbox.url);
        await watched.page.getByRole('button', { name: `@${user}` }).click();
        await watched.page.getByText('Signed in as').first().waitFor();
      }
      return watched;
    };

    const inspect = async (page: Page, path: string) => {
      await page.goto(sandbox.url + path);
      return { path, sideways: await scrollsSideways(page), problems: await accessibilityProblems(page) };
    };

    test.each(views)(
      'has no accessibility problem and no sideways scrolling, $width wide, $colorScheme',
      async (view) => {
        const { page, faults } = await open(view);
        const visited = ['/', '/grace', '/linus', thread, '/i/search?q=coffee', '/i/lab'];
        for (const path of visited) expect(await inspect(page, path)).toEqual({ path, sideways: false, problems: [] });
        expect(faults).toEqual([]);
        const signedIn = await open(view, 'ada');
        const own = ['/', thread, '/grace/followers', '/i/search?q=grace&f=users', '/i/notifications', '/i/messages'];
        const more = ['/i/messages/grace', '/i/bookmarks', '/i/articles', '/i/lab', '/i/lab/live'];
        for (const path of [...own, ...more]) {
          expect(await inspect(signedIn.page, path)).toEqual({ path, sideways: false, problems: [] });
        }
        expect(signedIn.faults).toEqual([]);
        // The browser reports the status of an error page itself.
        for (const path of ['/nobody_here', '/i/messages/nobody_here']) {
          expect(await inspect(signedIn.page, path)).toEqual({ path, sideways: false, problems: [] });
        }
        await Promise.all([page.close(), signedIn.page.close()]);
      },
    );

    test('shows what a person does in the browser to programs', async () => {
      const { page, faults } = await open(views[0], 'ada');
      await page.getByLabel('What is happening?').fill('Typed by a person');
      await page.getByRole('button', { name: 'Post' }).click();
      const own = page.locator('article:target');
      await own.getByText('Typed by a person').waitFor();
      await own.getByRole('button', { name: 'Like' }).click();
      await page.locator('article:target').getByRole('button', { name: 'Like', pressed: true }).waitFor();
      const { tweets } = (await sandbox.search({ q: 'from:ada "typed by a person"' })).body;
      expect(tweets).toMatchObject([{ text: 'Typed by a person', counts: { likes: 1 } }]);
      expect(faults).toEqual([]);
      await page.close();
    });

    test('works by keyboard alone', async () => {
      const { page, faults } = await open(views[2]);
      await page.goto(sandbox.url);
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
      await page.keyboard.press('Enter');
      await press(page, '@grace');
      await page.getByText('Signed in as').waitFor();
      await page.goto(`${sandbox.url}/i/lab`);
      await press(page, 'Make events');
      await page.getByRole('status').waitFor();
      expect(await page.getByText('mentioned you').count()).toBe(1);
      expect(faults).toEqual([]);
      await page.close();
    });

    /** Presses Tab until the button with this name has the focus, then Enter. */
    async function press(page: Page, name: string): Promise<void> {
      const reached = async () => (await page.evaluate('document.activeElement.textContent')) === name;
      for (let steps = 0; steps < 60 && !(await reached()); steps++) await page.keyboard.press('Tab');
      expect(await reached()).toBe(true);
      await page.keyboard.press('Enter');
    }
  },
);
