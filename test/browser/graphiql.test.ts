import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { graphqlExamples } from '../../src/api/demo/graphql-examples.ts';
import { startService, type TestService } from '../support/service.ts';
import { browserMissing, openBrowser, openPage, scrollsSideways } from './browser.ts';

const desk = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };
const publicName = 'gateway.example';

// Five megabytes of script for each page: on a busy machine that takes its time.
const timeout = 60_000;

describe.skipIf(browserMissing !== null)(`GraphiQL${browserMissing ? ` (${browserMissing})` : ''}`, { timeout }, () => {
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    service = await startService();
    browser = await openBrowser([`--host-resolver-rules=MAP ${publicName} 127.0.0.1`]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  /** Opens GraphiQL and waits until it is there. */
  const open = async (viewport = desk, origin = service.origin) => {
    const watched = await openPage(browser, origin, viewport);
    await watched.page.goto(`${origin}/graphql`);
    await watched.page.getByRole('tab', { name: 'UserTweets' }).waitFor();
    return watched;
  };

  /** Waits until the schema was asked for and is understood: before that there is nothing in the documentation. */
  const openWithSchema = async (viewport = desk) => {
    const watched = await open(viewport);
    await watched.page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await watched.page.getByText('Root Types').waitFor();
    await watched.page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
    return watched;
  };

  /** The next operation that the page sends by this name: its headers, and what came back. */
  const operation = async (page: Page, name: string, start: () => Promise<void>) => {
    const answered = page.waitForResponse((response) => response.request().postData()?.includes(name) ?? false);
    await start();
    const response = await answered;
    return { status: response.status(), headers: response.request().headers(), body: await response.text() };
  };
  const pressPlay = (page: Page) => page.getByRole('button', { name: /^Execute query/ }).click();
  const actor = (page: Page) => page.getByRole('combobox', { name: 'Actor' });
  const demoActor = (index = 0) => service.demo.accounts[index]?.authToken ?? '';
  const demoCode = (index = 0) => service.demo.accounts[index]?.encryptionCode ?? '';

  test.each([
    ['desk', desk],
    ['phone', phone],
  ])('opens with the examples and the demo credentials, without a fault, at %s width', async (_name, viewport) => {
    const { page, faults } = await openWithSchema(viewport);
    expect(await page.getByRole('tab').count()).toBe(graphqlExamples.length);
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
      // GraphiQL reads a changed editor a moment later; until then the button would run the operation before.
      const read = () => page.evaluate<string>("sessionStorage.getItem('graphiql:query')");
      await expect.poll(read, { timeout }).toBe(query);
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
      expect(await page.getByRole('tab').count()).toBe(graphqlExamples.length);
      return page.getByRole('tab', { selected: true }).getByRole('button').first().textContent();
    };
    expect(await reload()).toBe('UserTweets');
    await page.getByRole('tablist').getByRole('button', { name: 'Search' }).click();
    const kept = () =>
      page.evaluate<number>("JSON.parse(sessionStorage.getItem('graphiql:tabState') ?? '{}').activeTabIndex");
    await expect.poll(kept, { timeout }).toBe(2);
    expect(await reload()).toBe('Search');
    expect(faults).toEqual([]);
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
    expect(await page.getByLabel('Actor token').inputValue()).toBe('typed-token');
    expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}');
    expect(page.url()).toBe(`${service.origin}/graphql`);
  });

  test('works under any other name, where the key is typed in', async () => {
    const origin = `http://${publicName}:${new URL(service.origin).port}`;
    const { page, faults } = await open(desk, origin);
    const key = page.getByLabel('API key');
    expect(await key.inputValue()).toBe('');
    expect(await key.getAttribute('type')).toBe('password');
    await key.fill(service.demo.apiKey);
    await page.getByLabel('Actor token').fill(demoActor());
    await page.getByLabel('Actor token').blur();
    const { headers, status } = await operation(page, 'UserTweets', () => pressPlay(page));
    expect(headers['authorization']).toBe(`Bearer ${service.demo.apiKey}`);
    expect(status).toBe(200);
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByText('Root Types').waitFor();
    expect(faults).toEqual([]);
  });

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
