import { readdirSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

/** Properties and variables that contain sentences for people. */
const sentences = new Set(['message', 'lastError', 'last_error', 'codeRefused', 'stopped', 'unreachable']);
/** Methods that inspect a text. */
const looks = new Set(
  'at charAt endsWith exec has includes indexOf lastIndexOf localeCompare match matchAll replace replaceAll search slice split startsWith substring test'.split(
    ' ',
  ),
);

/** Files that may inspect a message, with the reason. */
const allowed: Readonly<Record<string, string>> = {
  'src/api/graphql/document/graphql-js-messages.ts':
    'graphql-js has no codes for its errors; the file returns typed limits',
  'src/api/graphql/errors.ts': 'spells the names of fields in messages as GraphQL does, and decides nothing',
};

interface Node {
  type: string;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';

/** Returns the name of a variable or a property: `message` for `message`, `error.message` and `error?.message`. */
function nameOf(value: unknown): string | null {
  if (!isNode(value)) return null;
  if (value.type === 'ChainExpression' || value.type === 'ParenthesizedExpression') return nameOf(value['expression']);
  if (value.type === 'MemberExpression' && value['computed'] === false) return nameOf(value['property']);
  return value.type === 'Identifier' ? (value['name'] as string) : null;
}

const isSentence = (value: unknown) => sentences.has(nameOf(value) ?? '');
const isNothing = (value: unknown) =>
  nameOf(value) === 'undefined' || (isNode(value) && value.type === 'Literal' && value['value'] === null);

const renames = (value: unknown) => isNode(value) && value.type === 'Identifier' && !isSentence(value);

/** Returns true if a node makes a decision by the text of a sentence, and not only by its presence. */
function decides(node: Node): boolean {
  if (node.type === 'BinaryExpression') {
    const sides = [node['left'], node['right']];
    return /^[!=]==?$/.test(String(node['operator'])) && sides.some(isSentence) && !sides.some(isNothing);
  }
  // A renamed variable would hide a sentence.
  if (node.type === 'VariableDeclarator') return isSentence(node['init']) && renames(node['id']);
  if (node.type === 'ObjectPattern') {
    return (node['properties'] as Node[]).some(({ key, value }) => isSentence(key) && renames(value));
  }
  if (node.type === 'SwitchStatement') return isSentence(node['discriminant']);
  if (node.type === 'MemberExpression' && node['computed'] === true) return isSentence(node['property']);
  if (node.type !== 'CallExpression' || !isNode(node['callee'])) return false;
  const callee = node['callee'].type === 'ChainExpression' ? (node['callee']['expression'] as Node) : node['callee'];
  if (callee.type !== 'MemberExpression' || !looks.has(nameOf(callee) ?? '')) return false;
  return isSentence(callee['object']) || (node['arguments'] as unknown[]).some(isSentence);
}

/** Returns the locations in a source text that make decisions by a sentence. */
function decisionsIn(text: string, lang: 'ts' | 'js'): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (isNode(value) && decides(value)) found.push(text.slice(value['start'] as number, value['end'] as number));
    for (const child of Object.values(value)) visit(child);
  };
  visit(parseAst(text, { lang }));
  return found;
}

test('no logic depends on the text of a message', () => {
  const files = ['src', 'scripts', 'test/support'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  );
  const found = files
    .filter((file) => /\.(ts|js|mjs)$/.test(file) && !file.includes('node_modules') && !(file in allowed))
    .flatMap((file) => {
      const text = readFileSync(new URL(file, root), 'utf8');
      return decisionsIn(text, file.endsWith('.ts') ? 'ts' : 'js').map((code) => `${file}: ${code}`);
    });
  expect(found).toEqual([]);
});

test.each(Object.keys(allowed))('%s still looks into texts', (file) => {
  expect(decisionsIn(readFileSync(new URL(file, root), 'utf8'), 'ts')).not.toEqual([]);
});

test.each([
  "if (error.message === 'no') f();",
  "if ('no' != (error as Error).message) f();",
  "const isIt = error?.message.startsWith('no');",
  "const { message } = error; if (message.includes('no')) f();",
  'if (/no/.test(error.message)) f();',
  "switch (error.message) { case 'no': f(); }",
  'const advice = table[error.message];',
  "if (record.lastError !== 'CRC failed') f();",
  'if (known.has(error.message)) f();',
  'const text = error.message;',
  'const { message: text } = error;',
  "error.message.replace(/^no/, '');",
])('finds %s', (code) => {
  expect(decisionsIn(code, 'ts')).toHaveLength(1);
});

test.each([
  'if (record.lastError === null) f();',
  "f(error.message + '. Done');",
  "if (error.reason === 'no') f();",
  'const { id } = message; const { message, code } = error; throw new Failure(message, code);',
])('leaves %s', (code) => {
  expect(decisionsIn(code, 'ts')).toEqual([]);
});
