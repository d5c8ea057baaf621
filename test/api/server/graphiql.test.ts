import { Kind, type OperationDefinitionNode, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { graphqlExamples } from '../../../src/api/demo/graphql-examples.ts';
import { exchange } from '../../support/raw.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const asBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const files = [
  '/graphiql/page.css',
  '/graphiql/page.js',
  '/graphiql/graphiql.css',
  '/graphiql/graphiql.js',
  '/graphiql/editorWorkerService.worker.js',
  '/graphiql/graphql.worker.js',
  '/graphiql/json.worker.js',
];
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(service.origin + path, { headers, method });

async function pageForHost(host: string) {
  const { answers } = await exchange(
    service.origin,
    `GET /graphql HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\n\r\n`,
  );
  return answers[0];
}

describe('GraphiQL', () => {
  test('is a page made of files of this origin, under a policy that runs no other script', async () => {
    const response = await get('/graphql', asBrowser);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')?.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "connect-src 'self'",
        'font-src data:',
        "frame-ancestors 'none'",
      ]),
    );
    expect(text).not.toMatch(/<script(?![^>]* src=)/);
    const addresses = [...text.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, address = '']) => address);
    expect(addresses.length).toBeGreaterThan(4);
    for (const address of addresses.filter((address) => !address.startsWith('data:'))) {
      expect((await get(address)).status, address).toBe(200);
    }
  });

  test('is shown to browsers alone: what a program sends is a query', async () => {
    const isPage = async (path: string, accept: string) =>
      (await (await get(path, { accept })).text()).startsWith('<!doctype html>');
    expect(await isPage('/graphql', 'text/html')).toBe(true);
    expect(await isPage('/graphql?from=home', 'text/html')).toBe(true);
    expect(await isPage('/graphql', '*/*')).toBe(false);
    expect(await isPage('/graphql', 'application/json')).toBe(false);
    expect(await isPage('/graphql?query=%7B__typename%7D', 'text/html')).toBe(false);
  });

  test('has the demo credentials under the names of loopback', async () => {
    const { port } = new URL(service.origin);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      const answer = await pageForHost(host);
      expect(answer?.body, host).toContain(service.demo.apiKey);
      for (const { authToken } of service.demo.accounts) expect(answer?.body, host).toContain(authToken);
    }
  });

  test('is served without credentials under any other name', async () => {
    for (const host of ['api.example', '127.0.0.1.evil.example', 'localhost.evil.example', '10.0.0.1']) {
      const answer = await pageForHost(host);
      expect(answer?.status, host).toBe(200);
      expect(answer?.body, host).toContain('name="apiKey"');
      expect(answer?.body, host).not.toContain(service.demo.apiKey);
      for (const { authToken } of service.demo.accounts) expect(answer?.body, host).not.toContain(authToken);
    }
  });
});

describe('the files of GraphiQL', () => {
  test.each(files)('%s has its type, and HEAD the same headers', async (path) => {
    const type = path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const head = await get(path, {}, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(response.headers.get('content-length'));
  });

  test.each(files)('%s refuses other methods with 405', async (path) => {
    for (const method of ['POST', 'DELETE', 'OPTIONS']) {
      const response = await get(path, {}, method);
      expect(response.status, method).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD');
      expect(await response.json()).toEqual({ status: false, data: null, error: expect.any(String) });
    }
  });

  test('are compressed for whoever takes that, and the same for whoever does not', async () => {
    const path = '/graphiql/graphiql.js';
    const compressed = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(compressed.headers.get('vary')?.toLowerCase()).toContain('accept-encoding');
    for (const encoding of ['identity', 'gzip;q=0', 'br']) {
      const plain = await get(path, { 'accept-encoding': encoding });
      expect(plain.headers.get('content-encoding'), encoding).toBeNull();
      expect(Number(plain.headers.get('content-length'))).toBeGreaterThan(
        3 * Number(compressed.headers.get('content-length')),
      );
      expect(plain.headers.get('etag')).not.toBe(compressed.headers.get('etag'));
    }
    const [one, other] = await Promise.all([
      compressed.text(),
      get(path, { 'accept-encoding': 'identity' }).then((response) => response.text()),
    ]);
    expect(one === other).toBe(true);
  });

  test('are not sent again to whoever has them', async () => {
    // Not by fetch, which adds headers of its own to a request with `If-None-Match`.
    const ask = async (known: string) =>
      (
        await exchange(
          service.origin,
          'GET /graphiql/graphiql.css HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n' +
            `If-None-Match: ${known}\r\nConnection: close\r\n\r\n`,
        )
      ).text;
    const etag = /^etag: ("[\w-]+")\r$/im.exec(await ask('"another"'))?.[1] ?? '';
    const again = await ask(etag);
    expect(again).toMatch(/^HTTP\/1\.1 304 /);
    expect(again).toContain(etag);
    expect(again).toMatch(/^cache-control: no-cache\r$/im);
    expect(await ask('"another"')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('the examples', () => {
  const operations = graphqlExamples.map(({ query }) => {
    const [operation, ...others] = parse(query).definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0)
      throw new Error(`not one operation: ${query}`);
    return operation;
  });
  const variablesOf = (operation: OperationDefinitionNode) =>
    operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];

  test('are an operation each, under names of their own, since those name the tabs', () => {
    const names = operations.map(({ name }) => name?.value);
    expect(names).not.toContain(undefined);
    expect(new Set(names).size).toBe(graphqlExamples.length);
  });

  test('have the variables that they ask for', () => {
    for (const [i, { variables = {} }] of graphqlExamples.entries()) {
      expect(Object.keys(variables)).toEqual(operations[i] && variablesOf(operations[i]));
    }
  });

  test('say first what they show and what it costs', () => {
    for (const { title, query } of graphqlExamples) {
      expect(query.startsWith(`# ${title}\n`)).toBe(true);
      expect(query).toMatch(/^# .*(0\.001 dollars|Free)/m);
    }
  });
});
