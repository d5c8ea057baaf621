import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { postern } from '../../support/command.ts';
import type { TestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { useService } from '../../support/use-service.ts';
import type { Outcome } from './attacks-client.ts';

let files = 0;
const folder = temporaryFolder();

const named = 'query Named($type: String!) { __type(name: $type) { name } }';
const twoOperations = 'query A { a: __typename } query B { b: __typename }';
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const unknown = hashOf('another');
const file = write({ [hashOf(named)]: named, [hashOf(twoOperations)]: twoOperations });

function write(content: unknown): string {
  const path = join(folder, `documents-${++files}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function post(service: TestService, body: Record<string, unknown>): Promise<Pick<Outcome, 'status' | 'body'>> {
  const response = await fetch(`${service.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Outcome['body'] };
}

const { service: without } = await useService();
const persisted = (hash: unknown) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } });
const variables = { type: 'User' };
const found = { __type: { name: 'User' } };

describe.each(['0', '1'])('with GRAPHQL_TRUSTED_ONLY=%s', async (only) => {
  const { service } = await useService({ GRAPHQL_TRUSTED_DOCUMENTS: file, GRAPHQL_TRUSTED_ONLY: only });

  test.each([
    ['documentId', { documentId: `sha256:${hashOf(named)}` }],
    ['documentId without its kind', { documentId: hashOf(named) }],
    ['documentId in capitals', { documentId: hashOf(named).toUpperCase() }],
    ['extensions.persistedQuery', persisted(hashOf(named))],
  ])('a document is taken by %s', async (_name, body) => {
    expect((await post(service, { ...body, variables })).body.data).toEqual(found);
  });

  test('and by GET', async () => {
    const extensions = JSON.stringify(persisted(hashOf(named)).extensions);
    for (const name of [{ documentId: `sha256:${hashOf(named)}` }, { extensions }]) {
      const search = new URLSearchParams({ ...name, variables: JSON.stringify(variables) });
      const response = await fetch(`${service.origin}/graphql?${search}`);
      expect(await response.json()).toMatchObject({ data: found });
    }
  });

  test('the operation of a document is chosen by its name', async () => {
    const body = { documentId: `sha256:${hashOf(twoOperations)}`, operationName: 'B' };
    expect((await post(service, body)).body.data).toEqual({ b: 'Query' });
  });

  test('an unknown documentId is refused, and told apart from others', async () => {
    const { status, body } = await post(service, { documentId: `sha256:${unknown}` });
    expect(status).toBe(400);
    expect(body.errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', status: 400, field: 'documentId' });
    expect(body.errors?.[0]?.message).toMatch(/^PersistedQueryNotFound: .*no document of that SHA-256/);
  });

  test("Apollo's clients are told in the word that they look for", async () => {
    const { status, body } = await post(service, persisted(unknown));
    expect(status).toBe(400);
    expect(body.errors?.[0]).toMatchObject({
      message: 'PersistedQueryNotFound',
      extensions: { code: 'BAD_USER_INPUT', status: 400, hint: expect.stringContaining('SHA-256') },
    });
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['documentId of another kind', { documentId: 'md5:abc' }, /Malformed field: documentId/],
    ['a number', { documentId: 7 }, /Malformed field: documentId/],
    ['an object as hash', persisted({ $gt: '' }), /Malformed field: extensions.persistedQuery.sha256Hash/],
    ['a name of JavaScript', persisted('__proto__'), /Malformed field: extensions.persistedQuery.sha256Hash/],
    ['no document at all', { extensions: { persistedQuery: 7 } }, /Missing required field/],
    ['extensions that are a list', { extensions: [] }, /Malformed field: extensions/],
  ])('what names no document is refused: %s', async (_name, sent, message) => {
    const { status, body } = await post(service, sent);
    expect(status).toBe(400);
    expect(body.errors?.[0]?.message).toMatch(message);
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', status: 400 });
  });

  test(`other documents are ${only === '1' ? 'refused, even with a hash that is known' : 'taken'}`, async () => {
    for (const more of [{}, persisted(hashOf(named)), { documentId: hashOf(named) }]) {
      const { status, body } = await post(service, { query: '{ __typename }', ...more });
      if (only === '0') expect(body.data).toEqual({ __typename: 'Query' });
      else {
        expect(status).toBe(400);
        expect(body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
        expect(body.errors?.[0]?.message).toMatch(/trusted documents only.*documentId/);
      }
    }
  });
});

test('without such a file a hash is refused with what to do instead', async () => {
  const { body } = await post(without, { documentId: `sha256:${unknown}` });
  expect(body.errors?.[0]?.message).toMatch(/no trusted documents: send the text/);
  expect((await post(without, persisted(unknown))).body.errors?.[0]?.message).toBe('PersistedQueryNotSupported');
});

describe('a file that is wrong stops the start', () => {
  const deep = `{${'...{'.repeat(100)}__typename${'}'.repeat(100)}}`;
  test.each<[string, string, RegExp]>([
    ['not there', join(folder, 'nowhere.json'), /cannot be read/],
    ['no JSON', write('{'), /cannot be read as JSON/],
    ['a list', write([named]), /is not a JSON object/],
    ['no text', write({ [hashOf(named)]: 7 }), /has no text under/],
    ['another hash', write({ [unknown]: named }), new RegExp(`SHA-256 is ${hashOf(named)}`)],
    ['no GraphQL', write({ [hashOf('{')]: '{' }), /not valid: Syntax Error/],
    ['not of this schema', write({ [hashOf('{ a }')]: '{ a }' }), /not valid: Cannot query field "a"/],
    ['over a limit', write({ [hashOf(deep)]: deep }), /not valid: Too deep/],
  ])('%s', async (_name, path, fault) => {
    // Without a sandbox of its own, the start is quick.
    const platform = { PLATFORM_KIND: 'sandbox', PLATFORM_URL: 'http://127.0.0.1:9' };
    const env = { DATA_DIR: join(folder, 'data'), PORT: '0', ...platform, GRAPHQL_TRUSTED_DOCUMENTS: path };
    const { code, err } = await postern(['serve'], env);
    expect(code).toBe(1);
    expect(err).toMatch(/GRAPHQL_TRUSTED_DOCUMENTS/);
    expect(err).toMatch(fault);
    expect(err).not.toMatch(/^\s+at /m);
  });

  test('and so does GRAPHQL_TRUSTED_ONLY without one', async () => {
    const { code, err } = await postern(['serve'], { DATA_DIR: join(folder, 'data'), GRAPHQL_TRUSTED_ONLY: '1' });
    expect(code).toBe(2);
    expect(err).toMatch(/GRAPHQL_TRUSTED_ONLY is set without GRAPHQL_TRUSTED_DOCUMENTS/);
  });
});
