import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { browserMissing, openBrowser, openPage, scrollsSideways } from './browser.ts';

const desk = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };

// The reason stands in the title, for whoever wonders why these were skipped.
describe.skipIf(browserMissing !== null)(`in a browser${browserMissing ? ` (${browserMissing})` : ''}`, () => {
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    service = await startService();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const open = async (path: string, viewport = desk) => {
    const watched = await openPage(browser, service.origin, viewport);
    await watched.page.goto(service.origin + path);
    return watched;
  };

  /** Presses the button of the operation that is shown, and answers what came back. */
  const execute = async (page: Page) => {
    const answered = page.waitForResponse((response) => response.url().includes('/v1/'));
    await page.getByRole('button', { name: 'Execute' }).first().click();
    const response = await answered;
    return { status: response.status(), body: (await response.json()) as { data: Record<string, unknown> } };
  };

  test.each([
    ['desk', desk],
    ['phone', phone],
  ])('/ shows an overview that links to /docs, at %s width', async (_name, viewport) => {
    const { page, faults } = await open('/', viewport);
    expect(await page.title()).toBe('Postern');
    expect(await scrollsSideways(page)).toBe(false);
    expect(await page.evaluate("(e => e.scrollWidth > e.clientWidth)(document.querySelector('.scroll'))")).toBe(false);
    await page.getByRole('link', { name: '/docs' }).click();
    await page.waitForURL('**/docs');
    await page.getByText('Search tweets').first().waitFor();
    await page.getByRole('link', { name: 'Postern', exact: true }).first().click();
    await page.waitForURL(`${service.origin}/`);
    expect(faults).toEqual([]);
  });

  test('/docs tries a search: one press of a button, and there are tweets', async () => {
    const { page, faults } = await open('/docs');
    expect(await page.title()).toBe('Postern API reference');
    await page.getByText('Search tweets').first().click();
    const { status, body } = await execute(page);
    expect(status).toBe(200);
    expect(body.data['tweets']).toHaveLength(20);
    await page.getByText('Response Status: OK (200)').waitFor();
    expect(faults).toEqual([]);
  });

  test('/docs tries a write with the example body', async () => {
    const { page, faults } = await open('/docs');
    await page.getByText('Post a tweet, a reply or a quote').first().click();
    expect((await execute(page)).status).toBe(200);
    expect(faults).toEqual([]);
  });

  test('/docs works at phone width without scrolling sideways', async () => {
    const { page, faults } = await open('/docs', phone);
    await page.getByText('Search tweets').first().click();
    const { status } = await execute(page);
    expect(status).toBe(200);
    expect(await scrollsSideways(page)).toBe(false);
    expect(faults).toEqual([]);
  });

  test('/docs works by keyboard', async () => {
    const { page } = await open('/docs');
    await page.getByText('Search tweets').first().waitFor();
    const focused = () =>
      page.evaluate<string>(`(() => {
        let element = document.activeElement;
        while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
        return element?.textContent?.trim() ?? '';
      })()`);
    // The list of calls stands between the one that was chosen and its form.
    const tabTo = async (name: RegExp) => {
      for (let presses = 0; presses < 120; presses++) {
        await page.keyboard.press('Tab');
        if (name.test(await focused())) return;
      }
      throw new Error(`120 presses of Tab did not lead to ${name}`);
    };
    await tabTo(/^Search tweets$/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Execute' }).first().waitFor();
    await tabTo(/^execute$/i);
    const answered = page.waitForResponse((response) => response.url().includes('/v1/tweet/advanced_search'));
    await page.keyboard.press('Enter');
    expect((await answered).status()).toBe(200);
  });
});
