import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/walkthrough.md', root), 'utf8');
const steps = [...page.matchAll(/^\| `(src\/[\w./-]+)` \| (.+?) \|/gm)].map(
  ([, file = '', cell = '']) => [file, [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => `${name}`)] as const,
);

describe('docs/walkthrough.md', () => {
  test('has at most 120 lines and more than 30 steps', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(121);
    expect(steps.length).toBeGreaterThan(30);
  });

  test.each(steps)('names parts of %s that exist', (file, names) => {
    const source = readFileSync(new URL(file, root), 'utf8');
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !new RegExp(`(?<![\\w#])${name}(?!\\w)`).test(source))).toEqual([]);
  });
});
