import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const root = new URL('../../src/webhooks/', import.meta.url);
const files = ['polling', 'delivery'].flatMap((folder) =>
  readdirSync(new URL(folder, root)).map((file) => posix.join(folder, file)),
);

interface Node {
  type?: string;
  id?: { name?: string };
  key?: { name?: string };
  source?: { value?: string };
  typeAnnotation?: Node;
}

/** Returns all nodes of a file for which `pick` returns a value. */
function collect<Found>(file: string, pick: (node: Node, inside: string) => Found | undefined): Found[] {
  const found: Found[] = [];
  const visit = (value: unknown, inside: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const node = value as Node;
    const picked = pick(node, inside);
    if (picked !== undefined) found.push(picked);
    const name = node.type === 'TSInterfaceDeclaration' ? (node.id?.name ?? '') : inside;
    for (const child of Object.values(value)) visit(child, name);
  };
  visit(parseAst(readFileSync(new URL(file, root), 'utf8'), { lang: 'ts' }), '');
  return found;
}

test('no part of the delivery loop is given a callback of the part above it', () => {
  const callbacks = files.flatMap((file) =>
    collect(file, ({ type, key, typeAnnotation }, inside) => {
      const isFunction =
        type === 'TSMethodSignature' ||
        (type === 'TSPropertySignature' &&
          (typeAnnotation as { typeAnnotation?: Node } | undefined)?.typeAnnotation?.type === 'TSFunctionType');
      return isFunction && inside.endsWith('Parts') ? `${file}: ${inside}.${key?.name}` : undefined;
    }),
  );
  expect(callbacks).toEqual([]);
});

test('no two files of the delivery loop need each other', () => {
  const imports = new Map(
    files.map((file) => [
      file,
      collect(file, ({ type, source }) =>
        type === 'ImportDeclaration' && source?.value?.startsWith('.')
          ? posix.join(posix.dirname(file), source.value)
          : undefined,
      ),
    ]),
  );
  const cycles: string[] = [];
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' > '));
    else for (const next of imports.get(file) ?? []) visit(next, [...path, file]);
  };
  for (const file of files) visit(file, []);
  expect(imports.size).toBeGreaterThan(10);
  expect(cycles).toEqual([]);
});
