import { describe, expect, test } from 'vitest';
import { operations } from '../../src/sandbox/operations/table.ts';
import { xOperations } from '../../src/sandbox/x/operations.ts';
import { contract } from './contract.ts';
import { fieldOf, type Json, openSandbox } from './harness.ts';

const sandbox = await openSandbox();

describe('the written contract', () => {
  test('has a schema behind every reference', () => {
    const references: string[] = [];
    JSON.stringify(contract, (key, value) => {
      if (key === '$ref') references.push(value);
      return value;
    });
    for (const reference of references) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce((node: Json, part) => node?.[part], contract);
      expect(found, reference).toBeDefined();
    }
  });

  test('has all operations of the sandbox, except those of X', () => {
    const described = Object.values<object>(contract.paths).flatMap((methods) => Object.values<Json>(methods));
    const served = [...operations, ...xOperations].filter(({ path }) => !/^\/2\/(?!oauth2\/)/.test(path));
    expect(described.map(({ operationId }) => operationId).toSorted()).toEqual(served.map(({ id }) => id).toSorted());
  });
});

describe('every response of these tests matches the contract', () => {
  test.each([
    ['/sandbox/nothing', 404, 'not_found'],
    ['/else/where', 404, 'not_found'],
    ['/sandbox/articles/%ff', 400, 'bad_request'],
  ])('the refusal of %s: %i %s', async (path, status, code) => {
    const reply = await sandbox.get(path);
    expect([reply.status, reply.body.reason]).toEqual([status, code]);
  });

  test('a missing and an unknown token', async () => {
    const token = sandbox.ada.authToken;
    const others = [{ cookie: `auth_token=${token}` }, { 'x-auth-token': token }, { authorization: `Basic ${token}` }];
    for (const headers of [{}, { authorization: 'Bearer nope' }, ...others] as Record<string, string>[]) {
      const reply = await sandbox.call('GET', '/sandbox/activity', { headers });
      expect([reply.status, reply.body.reason]).toEqual([401, 'bad_token']);
    }
  });

  test('a wrong method', async () => {
    const reply = await sandbox.call('DELETE', '/sandbox/activity', { as: sandbox.ada });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET']);
  });

  test.each(['{', '[1]', '"text"', 'null'])('the body %s', async (body) => {
    const reply = await sandbox.call('POST', '/sandbox/articles/12/unpublish', { as: sandbox.ada, body });
    expect([reply.status, fieldOf(reply)]).toEqual([400, 'body']);
  });

  test('a body that is too large', async () => {
    const body = { text: 'x'.repeat(1024 * 1024) };
    const reply = await sandbox.call('POST', '/sandbox/articles/12/unpublish', { as: sandbox.ada, body });
    expect([reply.status, reply.body.reason]).toEqual([413, 'payload_too_large']);
  });
});
