import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { TestService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';
import { many } from './attacks-client.ts';

interface Result {
  data?: Record<string, unknown> | null;
  errors?: { message: string; extensions: { code: string; status: number } }[];
}

const { service: open } = await useService();
const { service: closed } = await useService({ GRAPHQL_INTROSPECTION: '0' });

async function ask(service: TestService, query: string) {
  const response = await fetch(`${service.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
    body: JSON.stringify({ query }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Result };
}

describe('without a key', () => {
  test.each([
    ['what tools ask for', getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true })],
    ['one type', '{ __type(name: "User") { name fields { name } } }'],
    ['__typename', '{ __typename }'],
    ['__typename of mutations', 'mutation { __typename }'],
    ['__typename by a fragment', '{ ...Q } fragment Q on Query { a: __typename }'],
  ])('the schema is read: %s', async (_name, query) => {
    const { status, body } = await ask(open, query);
    expect(body.errors).toBeUndefined();
    expect(status).toBe(200);
  });

  test.each([
    '{ viewer { id } }',
    '{ __typename viewer { id } }',
    '{ __schema { queryType { name } } account { name } }',
    '{ rateLimit { __typename } }',
    '{ ...Q } fragment Q on Query { ... on Query { list(listId: "1") { __typename } } }',
    '{ node(id: "nonsense") { __typename } }',
    'mutation { deleteTweet(input: { tweetId: "1" }) { __typename } }',
  ])('everything else is 401: %s', async (query) => {
    const { status, headers, body } = await ask(open, query);
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
    expect(body.data).toBeUndefined();
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  test.each([
    ['fields of types of fields', '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }'],
    ['all types a hundred times', `{ __schema { ${many(99, (i) => `t${i}: types { fields { name } }`)} } }`],
    [
      'fields of types, aliased at every step',
      `{ __schema { types { ${many(9, (i) => `f${i}: fields { type { ${many(9, (j) => `g${j}: fields { name }`)} } }`)} } } }`,
    ],
    ['a type within itself', `{ __type(name: "ID") ${'{ ofType '.repeat(30)} { name } ${'}'.repeat(30)} }`],
  ])('a schema that is read without end is refused: %s', async (_name, query) => {
    const { status, body } = await ask(open, query);
    expect(body.errors?.[0]?.extensions.status).toBe(400);
    expect(body.data).toBeUndefined();
    expect(status).toBe(400);
  });
});

describe('with GRAPHQL_INTROSPECTION=0', () => {
  test.each([
    '{ __schema { queryType { name } } }',
    '{ __type(name: "User") { name } }',
    '{ ...Q } fragment Q on Query { s: __schema { types { name } } }',
  ])('the schema is not told: %s', async (query) => {
    const { status, body } = await ask(closed, query);
    expect(body.errors?.[0]?.message).toMatch(/introspection/i);
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', status: 400 });
    expect(status).toBe(400);
  });

  test.each(['{ viewerr { id } }', '{ user(userNam: "ada") { id } }', '{ ... on Querry { __typename } }'])(
    'nor hinted at: %s',
    async (query) => {
      const { body } = await ask(closed, query);
      expect(body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
      expect(JSON.stringify(body)).not.toMatch(/did you mean/i);
    },
  );

  test('__typename works', async () => {
    const { status, body } = await ask(closed, '{ __typename }');
    expect(body.data).toEqual({ __typename: 'Query' });
    expect(status).toBe(200);
  });
});
