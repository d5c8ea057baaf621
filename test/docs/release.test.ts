import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  version: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

interface Component {
  name: string;
  version: string;
  purl: string;
  licenses?: unknown[];
}

describe('a release', () => {
  test('has one version everywhere, and a changelog for the next one', () => {
    expect(read('docs/deploy/kubernetes.yaml')).toContain(`image: registry.example/postern:${manifest.version}\n`);
    expect(read('CHANGELOG.md')).toMatch(/^## Unreleased$/m);
  });

  test('has a bill of materials with every runtime dependency, and none that is only for development', () => {
    const script = fileURLToPath(new URL('scripts/sbom.ts', root));
    const printed = execFileSync(process.execPath, ['--import', 'tsx', script], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { bomFormat, metadata, components } = JSON.parse(printed) as {
      bomFormat: string;
      metadata: { component: Component };
      components: Component[];
    };
    expect(bomFormat).toBe('CycloneDX');
    expect(metadata.component).toMatchObject({ name: 'postern', version: manifest.version });
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
    // A dependency of a dependency, and the native part of one.
    expect(names).toEqual(expect.arrayContaining(['body-parser', '@libsql/linux-x64-gnu']));
    for (const name of ['vitest', 'rolldown', 'typescript', '@biomejs/biome', 'react'])
      expect(names).not.toContain(name);
    expect(components.filter(({ version, purl, licenses }) => !version || !purl || !licenses?.length)).toEqual([]);
  });
});
