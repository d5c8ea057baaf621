import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { actions, streams } from '../../src/actions/registry.ts';
import { settings } from '../../src/shared/config/settings.ts';
import { errorTable } from '../../src/shared/errors/table.ts';

const page = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

describe('the documents', () => {
  const configuration = page('docs/configuration.md');
  test.each(Object.entries(settings))(
    'docs/configuration.md lists the setting %s with its default',
    (name, setting) => {
      const row = configuration.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
      expect(row).toContain(setting.defaultText.split(/[:,]| into /)[0]);
    },
  );

  const rest = page('docs/rest.md');
  test.each(Object.entries(errorTable))('docs/rest.md lists the error %s with its status', (code, { status }) => {
    expect(rest).toContain(`${status} \`${code}\``);
  });

  const graphql = page('docs/graphql.md');
  test.each(Object.values(errorTable))('docs/graphql.md lists the code $graphql', (error) => {
    expect(graphql).toContain(`\`${error.graphql}\``);
  });

  const paths = [...actions, ...streams].map((action) => action.path);
  test.each(['README.md', 'docs/webhooks.md'])('the commands of %s call paths that exist', (name) => {
    const called = [...page(name).matchAll(/\$(?:POSTERN_)?URL(\/[a-z_/]+)/g)].map(([, path]) => path);
    expect(called).not.toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(called));
  });

  test('README.md has at most 150 lines, and the glossary of ARCHITECTURE.md at most 25 terms', () => {
    expect(page('README.md').split('\n').length).toBeLessThanOrEqual(151);
    const glossary = page('ARCHITECTURE.md').split('\n## Glossary\n')[1] ?? '';
    const terms = glossary.split('\n').filter((line) => line.startsWith('| ')).length - 2;
    expect(terms).toBeGreaterThan(0);
    expect(terms).toBeLessThanOrEqual(25);
  });
});
