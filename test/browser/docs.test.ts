import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import { describeInBrowser, openPage, scrollsSideways } from './browser.ts';

// The reference is a large program, which needs some seconds to start on a busy machine.
const patienceMs = 600_000;

describeInBrowser('/docs in a browser', [], async (browser) => {
  const { service, sandbox } = await useService();

  const open = async (width = 1280) => {
    const watched = await openPage(browser, service.origin, { width, height: 900 });
    watched.page.setDefaultTimeout(patienceMs);
    await watched.page.goto(`${service.origin}/docs`);
    await isReady(watched.page);
    return watched;
  };

  const isReady = (page: Page) => page.getByRole('heading', { name: 'Postern' }).first().waitFor();

  /** Opens the form of a call, presses Send and returns the response. */
  const send = async (page: Page, call: RegExp) => {
    await page.getByRole('button', { name: call }).first().click();
    const answered = page.waitForResponse((response) => response.url().includes('/v1/'));
    await page.locator('button.scalar-button-solid', { hasText: 'Send' }).first().click();
    return answered;
  };

  const openGroup = (page: Page, name: string) =>
    page
      .getByRole('button', { name: new RegExp(`^${name}`) })
      .first()
      .click();

  test('tries a search: one press of a button, and there are tweets', async () => {
    const { page, faults } = await open();
    expect(await page.title()).toBe('Postern API reference');
    await page.getByText('Search tweets').first().click();
    const response = await send(page, /Test Request.*\/tweet\/advanced_search/);
    expect(response.status()).toBe(200);
    expect((await response.json()).data.tweets).not.toEqual([]);
    expect(faults).toEqual([]);
  });

  test('tries a write with the example body', async () => {
    const { page } = await open();
    await page.getByText('Post a tweet, a reply or a quote').first().click();
    expect((await send(page, /Test Request.*\/tweet\/create/)).status()).toBe(200);
  });

  test('opens direct messages with the code of the demo account', async () => {
    const { page } = await open();
    await openGroup(page, 'Direct messages');
    await page.getByText("The actor's conversations, newest first").first().click();
    expect((await send(page, /Test Request.*\/dm\/list/)).status()).toBe(200);
  });

  test('shows events of a stream as they arrive', async () => {
    const { page } = await open();
    await openGroup(page, 'Events');
    await page.getByText("The actor's activity as it happens").first().click();
    expect((await send(page, /Test Request.*get \/events\)/)).status()).toBe(200);
    await sandbox.makeEvents({ type: 'follow', userName: 'ada' });
    await page.getByText('user.follow').last().waitFor();
  });

  test('has examples in four languages', async () => {
    const { page } = await open();
    for (const language of ['Shell', 'Node.js', 'Python']) {
      await page.getByRole('tab', { name: language }).first().waitFor();
    }
    await page
      .getByRole('button', { name: /Shell Curl/ })
      .first()
      .click();
    await page.getByText('Go', { exact: true }).first().waitFor();
  });

  test('works on a phone: its menu leads to a call, and nothing scrolls sideways', async () => {
    const { page } = await open(390);
    expect(await scrollsSideways(page)).toBe(false);
    await page.getByRole('button', { name: /menu/i }).first().click();
    await page.getByText('Replies to a tweet, newest first').first().click();
    await page.getByRole('heading', { name: 'Replies to a tweet, newest first' }).waitFor();
    expect(await scrollsSideways(page)).toBe(false);
  });

  test('is dark where the system is', async () => {
    const { page } = await open();
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.reload();
    await isReady(page);
    expect(await ground()).not.toBe(light);
  });
});
