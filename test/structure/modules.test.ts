import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import table from '../../scripts/modules.json' with { type: 'json' };

const root = new URL('../../', import.meta.url);
const { modules, packages } = table;

interface ImportNode {
  type?: string;
  source?: { value?: unknown };
  importKind?: string;
  exportKind?: string;
  specifiers?: readonly ImportNode[];
}

/** Returns every module specifier in a file. `loads` is false for imports of types and for `import()`. */
function importsOf(file: string): { specifier: string; loads: boolean }[] {
  const found: { specifier: string; loads: boolean }[] = [];
  const isType = ({ importKind, exportKind }: ImportNode) => importKind === 'type' || exportKind === 'type';
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const each = node as ImportNode;
    const { type = '', source, specifiers = [] } = each;
    const isDeclaration = /^(Import|ExportNamed|ExportAll)Declaration$/.test(type);
    if ((isDeclaration || /^(ImportExpression|TSImportType)$/.test(type)) && typeof source?.value === 'string') {
      const isTypes = isType(each) || (specifiers.length > 0 && specifiers.every(isType));
      found.push({ specifier: source.value, loads: isDeclaration && !isTypes });
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(readFileSync(new URL(file, root), 'utf8'), { lang: file.endsWith('x') ? 'tsx' : 'ts' }));
  return found;
}

const isIn = (path: string, module: string) => path === module || path.startsWith(`${module}/`);
const moduleOf = (path: string) => modules.filter(({ module }) => isIn(path, module)).sort(longestFirst)[0];
const longestFirst = (a: { module: string }, b: { module: string }) => b.module.length - a.module.length;

const files = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
);
const imports = files.flatMap((file) => importsOf(`src/${file}`).map((each) => ({ file, ...each })));

/** Returns the cycles of a graph, such as `a > b > a`. */
function cyclesOf(needs: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (node: string, path: string[]): void => {
    if (path.includes(node)) cycles.push([...path.slice(path.indexOf(node)), node].join(' > '));
    else if (!done.has(node)) for (const next of needs.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of needs.keys()) visit(node, []);
  return cycles;
}

function isAllowed(file: string, specifier: string): boolean {
  const from = moduleOf(file);
  if (!specifier.startsWith('.')) {
    return packages.every(({ packages, onlyIn }) => {
      return !packages.some((name) => isIn(specifier, name)) || onlyIn.some((module) => isIn(file, module));
    });
  }
  const to = moduleOf(posix.join(posix.dirname(file), specifier));
  if (!from || !to) return false;
  // A module may import the modules inside it.
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
  expect(cyclesOf(needs)).toEqual([]);
});

test('no two files load each other', () => {
  const needs = new Map<string, Set<string>>(files.map((file) => [file, new Set()]));
  for (const { file, specifier, loads } of imports) {
    if (loads && specifier.startsWith('.')) needs.get(file)?.add(posix.join(posix.dirname(file), specifier));
  }
  expect(cyclesOf(needs)).toEqual([]);
  expect(
    cyclesOf(
      new Map([
        ['a', new Set(['b'])],
        ['b', new Set(['c'])],
        ['c', new Set(['b'])],
      ]),
    ),
  ).toEqual(['b > c > b']);
});

test.each([
  ['a lower module that imports a higher one', 'store/port.ts', '../actions/action.ts'],
  ['a package outside its module', 'billing/ledger.ts', 'mongodb'],
  ['a path inside a package outside its module', 'billing/ledger.ts', 'graphql/language'],
  ['the platform in the sandbox', 'sandbox/sandbox.ts', '../platform/port.ts'],
])('refuses %s', (_, file, specifier) => {
  expect(isAllowed(file, specifier)).toBe(false);
});
