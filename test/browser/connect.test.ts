import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import { consent } from '../support/sandbox-sign-in.ts';
import { useService } from '../support/use-service.ts';
import { accessibilityProblems } from './axe.ts';
import { describeInBrowser, openPage, pressOn, scrollsSideways } from './browser.ts';

describeInBrowser('a sign-in in a browser', [], async (browser) => {
  /** The page of a program with a link to the sign-in, and a website that sends its form. */
  let link = '';
  const referrers: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/back')) referrers.push(request.headers.referer);
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><a href="${link}">Connect</a><form method="post" action="${link}"><button>Win</button></form>
      <iframe src="${link}"></iframe>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  // Another site than that of the gateway, which is at 127.0.0.1.
  const app = `http://localhost:${(server.address() as AddressInfo).port}`;
  const runtime = new AdjustableRuntime();
  const { service, ada } = await useService({ CORS_ORIGINS: app }, { runtime });
  const owner = ada.with({ authToken: '' });

  async function start(body: Record<string, unknown> = {}): Promise<string> {
    const { data } = (await owner.post('/connections', body)).body;
    link = String(data['authorize_url']);
    return String(data['id']);
  }
  const statusOf = async (id: string) => (await owner.get(`/connections/${id}`)).body.data['status'];
  const open = async () => (await openPage(browser, service.origin, { width: 1280, height: 800 })).page;
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();
  const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
  /** Goes on to the consent page of the platform. */
  async function goOn(page: Page): Promise<void> {
    await page.goto(link);
    await press(page, 'Continue');
    await page.waitForURL(`${service.demo.sandboxUrl}/**`);
  }

  test('leads from the link of a program over both consents back to it, by keyboard', async () => {
    const id = await start({ return_to: `${app}/back` });
    const page = await open();
    const sent: string[] = [];
    page.on('request', async (request) => sent.push((await request.allHeaders())['referer'] ?? ''));
    await page.goto(app);
    await pressOn(page.getByRole('link', { name: 'Connect' }));
    await pressOn(page.getByRole('button', { name: 'Continue' }));
    await page.waitForURL(`${service.demo.sandboxUrl}/**`);
    await pressOn(page.getByRole('button', { name: 'Allow' }));
    await page.waitForURL(`${app}/back?connection=${id}&status=active`);
    expect(await statusOf(id)).toBe('active');
    // The addresses of the sign-in contain secrets.
    expect(referrers.filter((referrer) => referrer?.includes('/connect/'))).toEqual([]);
    expect(sent.filter((referrer) => referrer.includes('/connect/') && !referrer.startsWith(service.origin))).toEqual(
      [],
    );
  });

  test('says on the page of the gateway that it was completed, and that it was used', async () => {
    const id = await start();
    const page = await open();
    await goOn(page);
    await press(page, 'Allow');
    await page.waitForURL(`${service.origin}/**`);
    expect(await heading(page)).toBe('Connected as @ada');
    expect(await statusOf(id)).toBe('active');
    await page.reload();
    expect(await heading(page)).toBe('The link was used');
    expect(await statusOf(id)).toBe('active');
  });

  test('says that access was denied', async () => {
    const id = await start();
    const page = await open();
    await goOn(page);
    await press(page, 'Deny');
    await page.waitForURL(`${service.origin}/**`);
    expect(await heading(page)).toBe('Access was not allowed');
    expect(await statusOf(id)).toBe('failed');
  });

  test('does not end in another browser', async () => {
    const id = await start();
    const page = await open();
    await goOn(page);
    const { href: callback } = await consent(page.url());
    const other = await open();
    await other.goto(callback);
    expect(await heading(other)).toBe('This is another browser');
    expect(await statusOf(id)).toBe('pending');
    await page.goto(callback);
    expect(await heading(page)).toBe('Connected as @ada');
  });

  test('cannot be begun by a form or a frame of another site', async () => {
    const id = await start();
    const page = await open();
    await page.goto(app);
    expect(await page.frames()[1]?.locator('button').count()).toBe(0);
    const answered = page.waitForResponse(link);
    await press(page, 'Win');
    expect((await answered).status()).toBe(403);
    expect((await page.context().cookies(link)).map(({ name }) => name)).toEqual([]);
    expect(await statusOf(id)).toBe('pending');
  });

  describe.each([
    { width: 1280, height: 800, colorScheme: 'light' },
    { width: 390, height: 844, colorScheme: 'dark' },
  ] as const)('$width wide, $colorScheme', (view) => {
    const check = async (page: Page) => {
      expect(await scrollsSideways(page)).toBe(false);
      expect(await accessibilityProblems(page)).toEqual([]);
    };

    test('has pages without a fault', async () => {
      await start();
      const { page, faults } = await openPage(browser, service.origin, view, view.colorScheme);
      await page.goto(link);
      await check(page);
      expect(faults).toEqual([]);
      runtime.leap(10 * 60_000);
      await page.goto(link);
      expect(await heading(page)).toBe('The link has expired');
      await check(page);
    });
  });
});
