import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import table from '../../scripts/modules.json' with { type: 'json' };

const root = new URL('../../', import.meta.url);
const { modules, packages } = table;

/** Every specifier that a file imports or exports from, those of types and `import()` included. */
function importsOf(file: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, source } = node as { type?: string; source?: { value?: unknown } };
    const imports = /^(Import|ExportNamed|ExportAll)Declaration$|^ImportExpression$|^TSImportType$/.test(type ?? '');
    if (imports && typeof source?.value === 'string') found.push(source.value);
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(readFileSync(new URL(file, root), 'utf8'), { lang: 'ts' }));
  return found;
}

const isIn = (path: string, module: string) => path === module || path.startsWith(`${module}/`);
const moduleOf = (path: string) => modules.filter(({ module }) => isIn(path, module)).sort(longestFirst)[0];
const longestFirst = (a: { module: string }, b: { module: string }) => b.module.length - a.module.length;

const files = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const imports = files.flatMap((file) => importsOf(`src/${file}`).map((specifier) => ({ file, specifier })));

function isAllowed(file: string, specifier: string): boolean {
  const from = moduleOf(file);
  if (!specifier.startsWith('.')) {
    return packages.every(({ packages, onlyIn }) => {
      return !packages.some((name) => isIn(specifier, name)) || onlyIn.some((module) => isIn(file, module));
    });
  }
  const to = moduleOf(posix.join(posix.dirname(file), specifier));
  if (!from || !to) return false;
  // A module is also the composition of the modules inside it.
  const allowed = [from.module, ...from.mayImport];
  return from.mayImport.includes('*') || allowed.some((module) => isIn(to.module, module));
}

test('every file of src belongs to a module of scripts/modules.json', () => {
  expect(files.filter((file) => !moduleOf(file))).toEqual([]);
  expect(imports.length).toBeGreaterThan(1_000);
});

test('modules import only the modules and packages that scripts/modules.json allows', () => {
  const refused = imports.filter(({ file, specifier }) => !isAllowed(file, specifier));
  expect(refused.map(({ file, specifier }) => `src/${file} may not import ${specifier}`)).toEqual([]);
});

test('no two modules need each other', () => {
  const needs = new Map<string, Set<string>>(modules.map(({ module }) => [module, new Set()]));
  for (const { file, specifier } of imports.filter(({ specifier }) => specifier.startsWith('.'))) {
    const from = moduleOf(file)?.module ?? '';
    const to = moduleOf(posix.join(posix.dirname(file), specifier))?.module ?? '';
    if (from !== to) needs.get(from)?.add(to);
  }
  const cycles: string[] = [];
  const visit = (module: string, path: string[]): void => {
    if (path.includes(module)) cycles.push([...path.slice(path.indexOf(module)), module].join(' > '));
    else for (const next of needs.get(module) ?? []) visit(next, [...path, module]);
  };
  for (const { module } of modules) visit(module, []);
  expect([...new Set(cycles)]).toEqual([]);
});

test.each([
  ['a lower module that imports a higher one', 'store/port.ts', '../actions/action.ts'],
  ['a package outside its module', 'billing/ledger.ts', 'mongodb'],
  ['a path inside a package outside its module', 'billing/ledger.ts', 'graphql/language'],
  ['the platform in the sandbox', 'sandbox/sandbox.ts', '../platform/port.ts'],
])('refuses %s', (_, file, specifier) => {
  expect(isAllowed(file, specifier)).toBe(false);
});
