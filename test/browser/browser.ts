import { existsSync } from 'node:fs';
import { type Browser, type ConsoleMessage, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, describe, onTestFinished, test } from 'vitest';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** How long a page has time for each step. It ends a test that hangs; no test may fail because the machine is slow. */
const pageTimeoutMs = 600_000;

/** The reason why no browser can be opened here; `null` if it can. */
export const browserMissing = existsSync(executablePath)
  ? null
  : `no browser at ${executablePath}: install Chromium, or name one by CHROMIUM`;

/** Opens a browser. `more` contains additional switches of Chromium. */
export function openBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath,
    // The sandbox of Chromium requires rights that CI does not have. The other switches prevent requests to the internet.
    args: ['--no-sandbox', '--disable-quic', '--disable-background-networking', ...more],
  });
}

/** Describes tests in one browser with more switches. Without a browser, one skipped test names the reason instead. */
export function describeInBrowser(
  name: string,
  switches: readonly string[],
  tests: (browser: Browser) => Promise<void>,
): void {
  if (browserMissing !== null) {
    test.skip(`${name} (${browserMissing})`, () => {});
    return;
  }
  describe(name, async () => {
    const browser = await openBrowser(switches);
    await tests(browser);
    // The browser is closed before the services that `tests` started.
    afterAll(() => browser.close());
  });
}

/** A page with all its unexpected actions. */
export interface WatchedPage {
  page: Page;
  /** Requests to other origins than `origin`, console messages above `log`, and uncaught errors. */
  faults: string[];
}

/** Opens a page until the end of the test. */
export async function openPage(
  browser: Browser,
  origin: string,
  viewport: { width: number; height: number },
  colorScheme: 'light' | 'dark' = 'light',
): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport, colorScheme });
  onTestFinished(() => page.close());
  // The context passes the limit to the pages that this page opens.
  page.context().setDefaultTimeout(pageTimeoutMs);
  const faults: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) faults.push(`request to ${url}`);
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isOfReference(message))
      faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  return { page, faults };
}

/** Scalar warns of `anyOf` with `null`, which OpenAPI 3.1 allows. The second argument has the schemas. */
function isOfReference(message: ConsoleMessage): boolean {
  return message.location().url.includes('/docs/viewer.js?') && message.type() === 'warning';
}

/** Returns true if the page is wider than its viewport. */
export function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}

/** Presses Tab until the element has the focus. Waits until the element is there. */
export async function tabTo(wanted: Locator): Promise<void> {
  await wanted.waitFor();
  const focused = wanted.and(wanted.page().locator(':focus'));
  // A dialog that is closing keeps the focus for a moment.
  const deadline = Date.now() + pageTimeoutMs;
  while ((await focused.count()) === 0) {
    if (Date.now() > deadline) throw new Error(`Tab does not reach ${wanted}`);
    await wanted.page().keyboard.press('Tab');
  }
}

/** Moves to an element with Tab and presses a key there. */
export async function pressOn(wanted: Locator, key = 'Enter'): Promise<void> {
  await tabTo(wanted);
  await wanted.page().keyboard.press(key);
}
