import { readFileSync } from 'node:fs';
import { Kind, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { graphqlExamples } from '../../../src/api/demo/graphql-examples.ts';
import { getFromHost } from '../../support/raw.ts';
import { useService } from '../../support/use-service.ts';

const { service } = await useService();

const asBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const built = JSON.parse(readFileSync(new URL('../../../dist/graphiql/manifest.json', import.meta.url), 'utf8')) as {
  script: string;
  style: string;
  files: string[];
};
const files = built.files.map((name) => `/graphiql/files/${name}`);
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(service.origin + path, { headers, method });

const pageForHost = (host: string) => getFromHost(service.origin, '/graphql', host, 'text/html');

describe('GraphiQL', () => {
  test('is a page made of files of this origin, under a policy that runs no other script', async () => {
    const response = await get('/graphql', asBrowser);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const own = ['script-src', 'worker-src', 'connect-src', 'font-src'].map((name) => `${name} 'self'`);
    expect(response.headers.get('content-security-policy')?.split('; ')).toEqual(
      expect.arrayContaining([...own, "default-src 'none'", "frame-ancestors 'none'"]),
    );
    expect(text).not.toMatch(/<script(?![^>]* src=)/);
    const addresses = [...text.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, address = '']) => address);
    expect(addresses.length).toBeGreaterThan(3);
    for (const address of addresses.filter((address) => !address.startsWith('data:'))) {
      expect((await get(address)).status, address).toBe(200);
    }
  });

  test('is served to browsers only; requests of other clients are queries', async () => {
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
    const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', ttf: 'font/ttf' };
    const type = types[path.slice(path.lastIndexOf('.') + 1) as keyof typeof types];
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
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

  test('are compressed for clients that accept it, and have the same content for others', async () => {
    const path = `/graphiql/files/${built.script}`;
    const load = async (encoding: string) => {
      const response = await get(path, { 'accept-encoding': encoding });
      expect(response.headers.get('vary')).toBe('accept-encoding');
      const size = Number(response.headers.get('content-length'));
      return { encoding: response.headers.get('content-encoding'), size, text: await response.text() };
    };
    const [br, gzip, plain] = [await load('gzip, deflate, br'), await load('gzip'), await load('br;q=0')];
    expect([br.encoding, gzip.encoding, plain.encoding]).toEqual(['br', 'gzip', null]);
    expect(br.size).toBeLessThan(gzip.size);
    expect(gzip.size).toBeLessThan(plain.size / 3);
    expect(br.text === plain.text && gzip.text === plain.text).toBe(true);
  });

  test('of another build are unknown', async () => {
    expect((await get('/graphiql/files/graphiql-00000000.js')).status).toBe(404);
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

  test('begin with a comment on their content and their cost', () => {
    for (const { title, query } of graphqlExamples) {
      expect(query.startsWith(`# ${title}\n`)).toBe(true);
      expect(query).toMatch(/^# .*(0\.001 dollars|Free)/m);
    }
  });
});
