import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Why no browser can be opened here, or `null`. */
export const browserMissing = existsSync(executablePath)
  ? null
  : `no browser at ${executablePath}: install Chromium, or name one by CHROMIUM`;

/** `more` are switches of Chromium. */
export function openBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath,
    // The sandbox of Chromium needs rights that CI has not; the rest keeps it from calling home.
    args: ['--no-sandbox', '--disable-quic', '--disable-background-networking', ...more],
  });
}

/** A page, and all that it did which it should not have. */
export interface WatchedPage {
  page: Page;
  /** Requests to anywhere but `origin`, messages of the console above `log`, and errors that nothing caught. */
  faults: string[];
}

export async function openPage(
  browser: Browser,
  origin: string,
  viewport: { width: number; height: number },
): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport });
  const faults: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) faults.push(`request to ${url}`);
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  return { page, faults };
}

/** True where the whole page is wider than what can be seen of it. */
export function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}
