import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { settings } from '../../src/shared/config/settings.ts';
import { errorTable } from '../../src/shared/errors/table.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

describe('the README', () => {
  test.each(Object.entries(settings))('lists the setting %s with its default', (name, { defaultText }) => {
    const row = readme.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
    expect(row).toContain(defaultText.split(/[:,]| into /)[0]);
  });

  test.each(Object.entries(errorTable))('lists the error %s with its status', (code, { status }) => {
    expect(readme).toContain(`| ${status} | \`${code}\` |`);
  });
});
