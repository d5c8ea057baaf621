import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  version: string;
  private: boolean;
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
    expect(read('docs/deploy/postern.service')).toContain(` ./postern-${manifest.version}.tgz\n`);
    expect(read('CHANGELOG.md')).toMatch(/^## Unreleased$/m);
  });

  test('is installed without the npm registry, where other packages have its names', () => {
    expect(manifest.private).toBe(true);
    const folders = [
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'compose.yaml',
      'Dockerfile',
      'docs',
      'scripts',
      'src',
    ];
    const files = execFileSync('git', ['ls-files', ...folders], { cwd: root, encoding: 'utf8' })
      .trim()
      .split('\n');
    const fetches =
      /\b(?:npx|npm exec|npm create|bunx|pnpm dlx|yarn dlx)(?: -\S+)* postern\b|\b(?:npm|pnpm|yarn|bun) (?:i|install|add)(?: -\S+(?: \/\S+)?)* postern\b|npmjs\.com\/package\/postern|npm publish/;
    expect(files.filter((path) => fetches.test(read(path)))).toEqual([]);
  });

  test('has a bill of materials with every package that is installed or bundled, and none that is only for development', () => {
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
    // The native part of a dependency, and packages inside of the bundles: of the service, of GraphiQL and of the pages.
    const others = ['@libsql/linux-x64-gnu', 'body-parser', 'react', 'uplot', '@scalar/fastify-api-reference'];
    expect(names).toEqual(expect.arrayContaining(others));
    for (const name of ['vitest', 'rolldown', 'typescript', '@biomejs/biome']) expect(names).not.toContain(name);
    expect(components.filter(({ version, purl, licenses }) => !version || !purl || !licenses?.length)).toEqual([]);
  });
});
