import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the accessibility problems that axe finds on a page, each with the elements concerned. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** Returns the problems with dark colours and with light ones. */
export async function problemsInAllColours(page: Page): Promise<string[]> {
  const problems: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    problems.push(...(await accessibilityProblems(page)));
  }
  return problems;
}
