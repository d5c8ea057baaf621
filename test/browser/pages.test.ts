import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useUnreachablePlatform } from '../support/unreachable-platform.ts';
import { useService } from '../support/use-service.ts';
import { accessibilityProblems } from './axe.ts';
import { describeInBrowser, openPage, scrollsSideways } from './browser.ts';

const views = [
  { width: 1280, height: 800, colorScheme: 'light' },
  { width: 1280, height: 800, colorScheme: 'dark' },
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const;
const [desk, , phone] = views;

describeInBrowser('in a browser', [], async (browser) => {
  const { service } = await useService();
  const other = await useUnreachablePlatform();

  const open = async (path: string, view: (typeof views)[number] = desk) => {
    const watched = await openPage(browser, service.origin, view);
    await watched.page.emulateMedia({ colorScheme: view.colorScheme });
    await watched.page.goto(service.origin + path);
    return watched;
  };
  const problems = async (page: Page) => ({
    sideways: await scrollsSideways(page),
    problems: await accessibilityProblems(page),
  });
  const example = (page: Page, name: string) => page.getByRole('article', { name });
  const outcome = (page: Page, text: RegExp) => example(page, 'Search tweets').getByText(text);
  const run = (page: Page, name: string) => example(page, name).getByRole('button', { name: /^Run/ });

  test.each(views)('/ has no fault, $width wide, $colorScheme', async (view) => {
    const { page, faults } = await open('/', view);
    await page.getByText('ready', { exact: true }).waitFor();
    expect(await problems(page)).toEqual({ sideways: false, problems: [] });
    expect(await page.evaluate('document.querySelector(".result .key") !== null')).toBe(true);
    expect(faults).toEqual([]);
  });

  test('/ fits the screen of a laptop', async () => {
    const { page } = await open('/');
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(desk.height);
  });

  test('/ runs its calls and shows their results', async () => {
    const { page, faults } = await open('/');
    for (const [name, status, result] of [
      ['Search tweets', /^200 · \d+ ms · \$0\.001$/, '"tweet_count": 2'],
      ['Query with GraphQL', /^200 · \d+ ms · \$0\.002$/, '"homeTimeline"'],
      ['Watch an event', /^event after \d+\.\d s$/, '"type": "tweet.mention"'],
    ] as const) {
      await run(page, name).click();
      await example(page, name).getByText(status).waitFor();
      await example(page, name).getByRole('region', { name: 'result' }).getByText(result).waitFor();
    }
    expect(await problems(page)).toEqual({ sideways: false, problems: [] });
    expect(faults).toEqual([]);
  });

  test('/ works by keyboard alone', async () => {
    const { page, faults } = await open('/', phone);
    const reached = () => page.evaluate('document.activeElement.matches("[data-run]")');
    for (let presses = 0; presses < 20 && !(await reached()); presses++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await outcome(page, /^200 · /).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Copy');
    await page.keyboard.press('Enter');
    await example(page, 'Search tweets')
      .getByRole('button', { name: /^(Copied|Selected)$/ })
      .waitFor();
    expect(faults).toEqual([]);
  });

  test('/ shows that the platform cannot be reached, and why a call failed', async () => {
    const { page } = await open('/');
    await page.route('**/readyz', (route) =>
      route.fulfill({
        status: 503,
        json: { status: false, data: null, error: 'Not ready: store ok, platform unreachable' },
      }),
    );
    await page.reload();
    await page.getByText('not ready: store ok, platform unreachable').waitFor();
    await service.addFault({ kind: 'status', status: 503 }, { operation: 'searchPostsAll' });
    await run(page, 'Search tweets').click();
    await outcome(page, /^5\d\d · \d+ ms · free$/).waitFor();
    expect(await problems(page)).toEqual({ sideways: false, problems: [] });
  });

  test('/ asks for a key and a token before a call if there are no demo credentials', async () => {
    const { page } = await openPage(browser, other.origin, desk);
    await page.goto(other.origin);
    await page.getByText('not ready: store ok, platform unreachable').waitFor();
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(desk.height);
    expect(await problems(page)).toEqual({ sideways: false, problems: [] });
    for (const name of ['key', 'actor']) {
      await run(page, 'Search tweets').click();
      expect(await page.evaluate('document.activeElement.name')).toBe(name);
      await page.keyboard.type('invalid');
    }
    await run(page, 'Search tweets').click();
    await outcome(page, /^401 · \d+ ms · free$/).waitFor();
    await page.close();
  });

  test('/ leads to the reference and back', async () => {
    const { page, faults } = await open('/', phone);
    await page.getByRole('link', { name: 'API reference' }).first().click();
    await page.waitForURL('**/docs');
    await page.getByRole('heading', { name: 'Postern' }).first().waitFor();
    await page.getByRole('link', { name: 'Postern', exact: true }).first().click();
    await page.waitForURL(`${service.origin}/`);
    expect(faults).toEqual([]);
  });

  test.each(views)('unknown paths and the error codes have no fault, $width wide, $colorScheme', async (view) => {
    const { page, faults } = await open('/nothing/here', view);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Nothing here');
    expect(await problems(page)).toEqual({ sideways: false, problems: [] });
    // Chromium itself reports the status of the page.
    expect(faults).toEqual(['console: Failed to load resource: the server responded with a status of 404 (Not Found)']);
    await page.getByRole('link', { name: 'not_found' }).click();
    await page.waitForURL('**/docs/errors#not_found');
    expect(await problems(page)).toEqual({ sideways: false, problems: [] });
    expect(faults).toHaveLength(1);
  });
});
