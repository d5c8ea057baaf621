import { afterAll, expect, test } from 'vitest';
import { openSandbox } from '../sandbox/harness.ts';
import { accessibilityProblems } from './axe.ts';
import { describeInBrowser, openPage, pressOn, scrollsSideways } from './browser.ts';

describeInBrowser('the pages of the sandbox', [], async (browser) => {
  const sandbox = await openSandbox();
  const body = { title: 'A draft', content: { blocks: [], entities: [], containers: [] } };
  const article = (await sandbox.x('/2/articles/draft', sandbox.ada, { method: 'POST', body })).body.data;
  const tweets = await Promise.all(['has:images', 'is:quote'].map((q) => sandbox.search(`from:grace ${q}`)));
  const paths = [
    '/grace',
    '/linus',
    ...tweets.map(([tweet]) => `/grace/status/${tweet.id}`),
    new URL(article.draft_url).pathname,
  ];
  afterAll(() => sandbox.close());

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
  });

  test('lead from a profile to a tweet by keyboard', async () => {
    const { page } = await openPage(browser, sandbox.url, { width: 390, height: 900 });
    await page.goto(`${sandbox.url}/grace`);
    await pressOn(page.getByRole('article').first().getByRole('link').last());
    await page.waitForURL('**/status/*');
    expect(await page.getByRole('heading').textContent()).toBe('Tweet of Grace Hollis');
  });
});
