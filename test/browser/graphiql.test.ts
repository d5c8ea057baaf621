import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { graphqlExamples } from '../../src/api/demo/graphql-examples.ts';
import { useService } from '../support/use-service.ts';
import { accessibilityProblems } from './axe.ts';
import { describeInBrowser, openPage, scrollsSideways } from './browser.ts';

const desk = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };
const publicName = 'gateway.example';

describeInBrowser('GraphiQL', [`--host-resolver-rules=MAP ${publicName} 127.0.0.1`], async (browser) => {
  const { service, grace } = await useService();
  const { service: published } = await useService({ PUBLIC_URL: `http://${publicName}` });

  /** Opens GraphiQL and waits until it is loaded. */
  const open = async (viewport = desk, origin = service.origin, colorScheme: 'light' | 'dark' = 'light') => {
    const watched = await openPage(browser, origin, viewport, colorScheme);
    await watched.page.goto(`${origin}/graphql`);
    await watched.page.getByRole('tab', { name: 'UserTweets' }).waitFor();
    // Before its editor contains a query, GraphiQL has nothing to execute.
    await watched.page.locator('.graphiql-query-editor .view-line').first().waitFor();
    return watched;
  };

  /** Waits until the schema is loaded, because the documentation is empty before that. */
  const openWithSchema = async (viewport = desk, colorScheme: 'light' | 'dark' = 'light') => {
    const watched = await open(viewport, service.origin, colorScheme);
    await watched.page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await watched.page.getByText('Root Types').waitFor();
    await watched.page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
    return watched;
  };

  /** Returns the next operation with this name that the page sends: its headers and its response. */
  const operation = async (page: Page, name: string, start: () => Promise<void>) => {
    const answered = page.waitForResponse((response) => response.request().postData()?.includes(name) ?? false);
    await start();
    const response = await answered;
    return { status: response.status(), headers: response.request().headers(), body: await response.text() };
  };
  const pressPlay = (page: Page) => page.getByRole('button', { name: /^Execute query/ }).click();
  const actor = (page: Page) => page.getByRole('combobox', { name: 'Actor' });
  const demoActor = (index = 0) => service.demo.accounts[index]?.connection ?? '';
  const demoCode = (index = 0) => service.demo.accounts[index]?.encryptionCode ?? '';

  test.each([
    ['desk', desk],
    ['phone', phone],
  ])('opens with the examples and the demo credentials, without a fault, at %s width', async (_name, viewport) => {
    const { page, faults } = await openWithSchema(viewport);
    await expect.poll(() => page.getByRole('tab').count()).toBe(graphqlExamples.length);
    expect(await page.getByLabel('API key').inputValue()).toBe(service.demo.apiKey);
    expect(await actor(page).inputValue()).toBe(demoActor());
    expect(await page.getByLabel('Actor token').isVisible()).toBe(false);
    expect(await scrollsSideways(page)).toBe(false);
    expect(page.url()).toBe(`${service.origin}/graphql`);
    expect(faults).toEqual([]);
  });

  test('runs every example: one press of a button, and there is data', async () => {
    const { page, faults } = await openWithSchema();
    for (const { query } of graphqlExamples) {
      const name = /^(?:query|mutation) (\w+)/m.exec(query)?.[1] ?? '';
      await page.getByRole('tablist').getByRole('button', { name, exact: true }).click();
      // GraphiQL reads a changed editor after a delay. Until then, the button would run the previous operation.
      const read = () => page.evaluate<string>("sessionStorage.getItem('graphiql:query')");
      await expect.poll(read).toBe(query);
      const { status, body } = await operation(page, name, () => pressPlay(page));
      expect(status, name).toBe(200);
      const { data, errors } = JSON.parse(body) as { data: object; errors?: object[] };
      expect(errors, name).toBeUndefined();
      expect(Object.values(data), name).not.toContain(null);
      const [field = ''] = Object.keys(data);
      await page.locator('.result-window').getByText(`"${field}"`).waitFor();
    }
    expect(page.url()).toBe(`${service.origin}/graphql`);
    expect(faults).toEqual([]);
  });

  test('opens with the same tabs after a reload, in the one that was left', async () => {
    const { page, faults } = await open();
    const reload = async () => {
      await page.reload();
      await page.getByRole('tab', { name: 'UserTweets' }).waitFor();
      await expect.poll(() => page.getByRole('tab').count()).toBe(graphqlExamples.length);
      return page.getByRole('tab', { selected: true }).getByRole('button').first().textContent();
    };
    expect(await reload()).toBe('UserTweets');
    await page.getByRole('tablist').getByRole('button', { name: 'Search' }).click();
    const kept = () =>
      page.evaluate<number>("JSON.parse(sessionStorage.getItem('graphiql:tabState') ?? '{}').activeTabIndex");
    await expect.poll(kept).toBe(2);
    expect(await reload()).toBe('Search');
    expect(faults).toEqual([]);
  });

  test('moves a tab that is dragged before any tab was chosen', async () => {
    const { page } = await open();
    const names = () => page.getByRole('tab').allInnerTexts();
    const [first, second, third, ...others] = await names();
    const box = await page.getByRole('tab').nth(1).boundingBox();
    if (!box) throw new Error('the tab has no place');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 30, y, { steps: 10 });
    await page.mouse.move(x + 2 * box.width, y, { steps: 20 });
    await expect.poll(names).not.toEqual([first, second, third, ...others]);
    await page.mouse.up();
  });

  test('runs a query by keyboard, from the bar to the answer', async () => {
    const { page, faults } = await openWithSchema();
    await page.getByLabel('API key').focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.name')).toBe('account');
    const inEditor = "document.activeElement.closest('.graphiql-query-editor') !== null";
    for (let presses = 0; presses < 40 && !(await page.evaluate(inEditor)); presses++) await page.keyboard.press('Tab');
    expect(await page.evaluate(inEditor)).toBe(true);
    const { status } = await operation(page, 'UserTweets', () => page.keyboard.press('Control+Enter'));
    expect(status).toBe(200);
    expect(faults).toEqual([]);
  });

  test('sends what stands in the bar, and keeps what was typed for this tab alone', async () => {
    const { page } = await openWithSchema();
    const sent = async () => (await operation(page, 'UserTweets', () => pressPlay(page))).headers;
    expect(await sent()).toMatchObject({
      authorization: `Bearer ${service.demo.apiKey}`,
      'x-auth-token': demoActor(),
      'x-encryption-code': demoCode(),
    });

    await actor(page).selectOption({ index: 1 });
    expect(await sent()).toMatchObject({ 'x-auth-token': demoActor(1), 'x-encryption-code': demoCode(1) });
    await actor(page).selectOption('nobody');
    const ofNobody = await sent();
    for (const name of ['x-auth-token', 'x-encryption-code']) expect(ofNobody).not.toHaveProperty(name);

    await actor(page).selectOption('another token…');
    await page.getByLabel('Actor token').fill('typed-token');
    await page.getByLabel('Code').fill('739146');
    expect(await sent()).toMatchObject({ 'x-auth-token': 'typed-token', 'x-encryption-code': '739146' });
    await page.reload();
    await page.getByRole('tab', { name: 'UserTweets' }).waitFor();
    await expect.poll(() => page.getByLabel('Actor token').inputValue()).toBe('typed-token');
    expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}');
    expect(page.url()).toBe(`${service.origin}/graphql`);
  });

  test('works under the name in PUBLIC_URL, where the key is typed in', async () => {
    const origin = `http://${publicName}:${new URL(published.origin).port}`;
    const { page, faults } = await open(desk, origin);
    const key = page.getByLabel('API key');
    expect(await key.inputValue()).toBe('');
    expect(await key.getAttribute('type')).toBe('password');
    await key.fill(published.demo.apiKey);
    await page.getByLabel('Actor token').fill(published.demo.accounts[0].authToken);
    await page.getByLabel('Actor token').blur();
    const { headers, status } = await operation(page, 'UserTweets', () => pressPlay(page));
    expect(headers['authorization']).toBe(`Bearer ${published.demo.apiKey}`);
    expect(status).toBe(200);
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByText('Root Types').waitFor();
    expect(faults).toEqual([]);
  });

  test('moves a tab that is dragged', async () => {
    const { page, faults } = await open();
    const names = async () => (await page.getByRole('tab').allInnerTexts()).slice(0, 3);
    expect(await names()).toEqual(['UserTweets', 'Home', 'Search']);
    // GraphiQL measures its tabs when one of them is chosen.
    await page.getByRole('tablist').getByRole('button', { name: 'Home' }).click();
    const middleOf = async (name: string) => {
      const box = await page.getByRole('tab', { name }).boundingBox();
      return { x: (box?.x ?? 0) + 30, y: (box?.y ?? 0) + 10 };
    };
    const [from, to] = [await middleOf('UserTweets'), await middleOf('Search')];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    // GraphiQL moves a tab if the pointer moves and a frame was drawn since, so the pointer moves slowly.
    let { x } = from;
    const namesAfterMove = async () => {
      x = Math.min(x + 8, to.x + 30);
      await page.mouse.move(x, from.y);
      return names();
    };
    await expect.poll(namesAfterMove).not.toEqual(['UserTweets', 'Home', 'Search']);
    await page.mouse.up();
    await page.getByRole('tablist').getByRole('button', { name: 'Search' }).click();
    await page.getByRole('tab', { name: 'Search', selected: true }).waitFor();
    expect(faults).toEqual([]);
  });

  test('shows the events of a subscription as they happen', async () => {
    const { page, faults } = await openWithSchema();
    const query = 'subscription Watch { events { __typename } }';
    await page.evaluate(
      `__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith('.graphql')).setValue('${query}')`,
    );
    await expect.poll(() => page.evaluate("sessionStorage.getItem('graphiql:query')")).toBe(query);
    const opened = page.waitForResponse((response) => response.request().postData()?.includes('Watch') ?? false);
    await pressPlay(page);
    expect((await opened).headers()['content-type']).toMatch(/^text\/event-stream/);
    expect((await grace.post('/tweet/create', { text: 'Hello @ada from a test' })).status).toBe(200);
    await page.locator('.result-window').getByText('MentionEvent').waitFor();
    expect(faults).toEqual([]);
  });

  test.each([
    { width: 1280, height: 800, colorScheme: 'light' },
    { width: 1280, height: 800, colorScheme: 'dark' },
    { width: 390, height: 844, colorScheme: 'light' },
    { width: 390, height: 844, colorScheme: 'dark' },
  ] as const)(
    'has no accessibility problem of ours, $width wide, $colorScheme',
    async ({ colorScheme, ...viewport }) => {
      const { page, faults } = await openWithSchema(viewport, colorScheme);
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      await operation(page, 'UserTweets', () => pressPlay(page));
      await page.locator('.result-window').getByText('"user"').waitFor();
      // GraphiQL's own tabs are buttons inside of elements with the role of a tab (docs/decisions.md, Pages, clients and tools).
      const problems = await accessibilityProblems(page);
      expect(problems.filter((problem) => !problem.startsWith('nested-interactive: '))).toEqual([]);
      expect(await scrollsSideways(page)).toBe(false);
      expect(faults).toEqual([]);
    },
  );

  test('follows the colours of the system', async () => {
    const { page } = await open();
    const papers = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      papers.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
    }
    expect(papers).toEqual(['rgb(251, 250, 248)', 'rgb(20, 24, 31)']);
  });
});
