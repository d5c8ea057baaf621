import fc from 'fast-check';
import {
  buildSchema,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  isNonNullType,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { describe, expect, test } from 'vitest';
import { graphqlExamples } from '../../../src/api/demo/graphql-examples.ts';
import { compiledSize } from '../../../src/api/graphql/execute/compiled-size.ts';
import { Executor } from '../../../src/api/graphql/execute/executor.ts';
import { schema } from '../../../src/api/graphql/schema/schema.ts';
import { expectQuick } from '../../support/processor-time.ts';
import { bomb } from './attacks-client.ts';
import { documents } from './random-documents.ts';

const limit = 1_000_000;
/** graphql-jit does not declare this option. */
const debug = { debug: true } as Parameters<typeof compileQuery>[3];

function parsed(text: string) {
  const document = parse(text);
  return { document, operation: getOperationAST(document) as OperationDefinitionNode };
}

function sizeOf(text: string, upTo = Number.MAX_SAFE_INTEGER): number | null {
  const { document, operation } = parsed(text);
  return compiledSize(schema, document, operation, upTo);
}

/** Returns the number of characters that graphql-jit generates. */
function generated(text: string): number {
  const { document, operation } = parsed(text);
  const compiled = compileQuery(schema, document, operation.name?.value ?? '', debug);
  if (!isCompiledQuery(compiled)) throw new Error('not compiled');
  const code = '__DO_NOT_USE_THIS_OR_YOU_WILL_BE_FIRED_compilation';
  return String((compiled as unknown as Record<string, unknown>)[code]).length;
}

const aliased = (times: number, field: string) => Array.from({ length: times }, (_, i) => `a${i}: ${field}`).join(' ');
const onTweets = (fields: string) => `{ viewer { tweets { nodes { ${fields} } } } }`;

const large: readonly [name: string, text: string][] = [
  ['leaves', onTweets(aliased(90, 'text'))],
  ['fields with resolvers', onTweets(aliased(90, 'createdAt'))],
  ['lists', onTweets(aliased(90, 'media { type }'))],
  ['lists in lists', onTweets(aliased(60, 'entities { hashtags { indices } urls { indices } }'))],
  ['connections', onTweets(aliased(40, 'replies(first: 1) { nodes { inReplyTo { tweetId } } edges { cursor } }'))],
  ['interfaces', `{ ${aliased(30, 'node(id: "1") { id }')} b: nodes(ids: ["1"]) { id } }`],
  ['a long name', onTweets(`${'x'.repeat(20_000)}: inReplyTo { ${aliased(90, 'createdAt')} }`)],
  ['long arguments', `{ ${aliased(50, `searchTweets(q: "${'x'.repeat(500)}") { nodes { text } }`)} }`],
  [
    'a condition',
    `query ($${'v'.repeat(5_000)}: Boolean!) ${onTweets(`inReplyTo @skip(if: $${'v'.repeat(5_000)}) { ${aliased(90, 'text')} }`)}`,
  ],
  ['the same field', `{ viewer { ${'tweets { nodes { text } } '.repeat(75)} } }`],
  ['the schema', `{ viewer { id } __schema { types { ${aliased(90, 'fields { name type { ofType { name } } }')} } } }`],
  ['mutations', `mutation { ${aliased(90, 'createTweet(input: { text: "hello" }) { text tweetId }')} }`],
];

describe('the estimate of compiled code', () => {
  test.each(large)('is not less than what is generated: %s', (_name, text) => {
    expect(sizeOf(text)).toBeGreaterThan(generated(text));
  });

  test('is not less than what is generated, whatever the document', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const size = sizeOf(text);
        if (size !== null) expect(size).toBeGreaterThan(generated(text));
      }),
      { numRuns: 200 },
    );
  });

  test('allows the examples of GraphiQL', () => {
    for (const { query } of graphqlExamples) expect(sizeOf(query, limit)).not.toBeNull();
  });

  test('stops counting at the limit', async () => {
    const inner = (next: string) => `tweets { nodes { author { ${next} } } }`;
    const fragments = bomb(40, 'User', (next) => `a: ${inner(next)} b: ${inner(next)}`, 'id');
    const text = `{ viewer @skip(if: true) { ...F0 } } ${fragments}`;
    await expectQuick(1_000, () => expect(sizeOf(text, limit)).toBeNull());
  });
});

describe('the executor', () => {
  const tiny = buildSchema('type Query { user: User! } type User { name: String user: User }');
  const user: { name: string; user?: unknown } = { name: 'ada' };
  user.user = user;

  function repeated(executor: Executor, text: string, variables: readonly Record<string, unknown>[], times: number) {
    const { document, operation } = parsed(text);
    const results = [];
    for (let i = 0; i < times; i++) {
      const variableValues = variables[i % variables.length] ?? {};
      results.push(executor.execute({ schema: tiny, document, variableValues, rootValue: { user } }, operation));
      executor.countUse(operation);
    }
    return results.map((result) => JSON.parse(JSON.stringify(result)) as { data: unknown });
  }

  test('compiles an operation that is repeated', () => {
    const executor = new Executor(tiny);
    repeated(executor, '{ user { name } }', [{}], 5);
    expect(executor.compiled).toBe(0);
    repeated(executor, '{ user { name } }', [{}], 6);
    expect(executor.compiled).toBe(1);
  });

  test('does not compile one whose executions are free', () => {
    const executor = new Executor(tiny);
    const { document, operation } = parsed('{ user { name } }');
    for (let i = 0; i < 20; i++) executor.execute({ schema: tiny, document, rootValue: { user } }, operation);
    expect(executor.compiled).toBe(0);
  });

  test('spends a small share of the time on compiling', () => {
    const executor = new Executor(schema);
    for (let i = 0; i < 200; i++) {
      const { document, operation } = parsed(`{ ${aliased(50, `list(listId: "${i}") { listId }`)} }`);
      for (let use = 0; use < 6; use++) executor.countUse(operation);
      executor.execute({ schema, document }, operation);
    }
    expect(executor.compiled).toBeLessThan(100);
  });

  const names = Object.getOwnPropertyNames(Object.prototype);
  const echo = buildSchema(`
    input Named { a: Int = 7, b: [String] }
    type Query { f(n: Int = 20, b: Boolean = true, of: Named): String, g: Query }
  `);
  const { f, g } = echo.getQueryType()?.getFields() ?? {};
  Object.assign(f ?? {}, { resolve: (_: unknown, args: object) => JSON.stringify(args) });
  Object.assign(g ?? {}, { resolve: () => ({}) });
  test.each([
    ...names.flatMap((name): [text: string, variables: string][] => [
      [`query ($${name}: Int) { f(n: $${name}) }`, '{}'],
      [`query ($${name}: Int) { f(n: $${name}) }`, `{ "${name}": 2 }`],
      [`query ($${name}: Int = 3) { f(n: $${name}) }`, '{}'],
      [`query ($${name}: Int = 3) { f(n: $${name}) }`, `{ "${name}": null }`],
      [`query ($${name}: Int) { f(of: { a: $${name}, b: "x" }) }`, '{}'],
      [`query ($${name}: Named) { f(of: $${name}) }`, `{ "${name}": { "a": 1 } }`],
      [`query ($${name}: Boolean = false) { g { f @include(if: $${name}) } }`, '{}'],
      [`{ ${name}: f, g { ${name}: g { f } } }`, '{}'],
      [`query ${name} { g { ...${name} } } fragment ${name} on Query { f }`, '{}'],
    ]),
    ['query ($n: Int! = 3) { f(n: $n) }', '{}'],
    ['query ($b: Boolean! = false) { g { f @include(if: $b) } }', '{}'],
    ['query ($n: Int) { ...F } fragment F on Query { f(of: { a: $n }) }', '{}'],
    ['fragment F on Query { f(of: { a: $n }) } query ($n: Int) { ...F }', '{}'],
    ['query ($s: String) { f(of: { b: [$s] }) }', '{}'],
  ])('answers as an interpreted operation: %s with %s', async (text, json) => {
    const { document, operation } = parsed(text);
    const executor = new Executor(echo);
    const args = { schema: echo, document, variableValues: JSON.parse(json) as Record<string, unknown>, rootValue: {} };
    const interpreted = JSON.stringify(await executor.execute(args, operation));
    for (let use = 0; use < 6; use++) executor.countUse(operation);
    expect(JSON.stringify(await executor.execute(args, operation))).toBe(interpreted);
    expect(interpreted).not.toContain('errors');
  });

  test('compiles input objects correctly, because none has a required field with a default or contains itself', () => {
    const inputs = Object.values(schema.getTypeMap()).filter(isInputObjectType);
    const fields = inputs.flatMap((type) => Object.values(type.getFields()));
    expect(fields.filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue !== undefined)).toEqual([]);
    expect(fields.filter(({ name }) => name in Object.prototype)).toEqual([]);
    expect(fields.filter(({ type }) => isInputObjectType(getNamedType(type)))).toEqual([]);
  });

  test.each([
    'query ($yes: Boolean!) { user { ...F @include(if: $yes) user { ...F } } } fragment F on User { name }',
    'query ($yes: Boolean!) { user { ...F @include(if: $yes) ...F } } fragment F on User { name }',
    'query ($yes: Boolean!) { user { ... @include(if: $yes) { ...F } user { ...F } } } fragment F on User { name }',
    'query ($yes: Boolean!) { user { name @include(if: $yes) user @skip(if: $yes) { name } } }',
  ])('answers the same on every use: %s', (text) => {
    const results = repeated(new Executor(tiny), text, [{ yes: true }, { yes: false }], 12);
    for (const [i, result] of results.entries()) expect(result).toEqual(results[i % 2]);
  });
});
