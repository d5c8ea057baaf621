import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { exchange, getFromHost, openSocket } from '../../support/raw.ts';
import { expectRefused, useAttacker } from './attacks-client.ts';

const attacker = await useAttacker();
afterEach(() => attacker.expectUnharmed());

const json = { 'content-type': 'application/json' };
const newer = { ...json, accept: 'application/graphql-response+json' };
const typename = '{"query":"{__typename}"}';
const post = (body: BodyInit, headers: Record<string, string> = json) =>
  attacker.send({ method: 'POST', headers, body });
const get = (parameters: string | Record<string, string>, headers = {}) =>
  attacker.send({ headers }, `?${new URLSearchParams(parameters)}`);

describe('methods', () => {
  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])('%s is not taken', async (method) => {
    const answer = await attacker.send({ method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, POST');
    if (method !== 'HEAD') expectRefused(answer, 405);
  });

  test.each([
    ['alone', { query: 'mutation{__typename}' }],
    [
      'by name',
      { query: 'query A{__typename} mutation B{deleteTweet(input:{tweetId:"1"}){__typename}}', operationName: 'B' },
    ],
  ])('GET performs no mutation: %s', async (_name, parameters) => {
    const answer = await get(parameters);
    expectRefused(answer, 405);
    expect(answer.headers.get('allow')).toBe('POST');
  });

  test('GET reads, with variables', async () => {
    const query = 'query($name:String!){__type(name:$name){name}}';
    const { status, body } = await get({ query, variables: '{"name":"User"}' });
    expect(status).toBe(200);
    expect(body.data).toEqual({ __type: { name: 'User' } });
  });
});

describe('a document that was accepted before', () => {
  const query = 'mutation Repeated{__typename}';

  test('is refused with an unknown parameter, and by GET if it is a mutation', async () => {
    for (let i = 0; i < 2; i++) {
      const { status, body } = await post(JSON.stringify({ query, operationName: 'Repeated' }));
      expect(status).toBe(200);
      expect(body.data).toEqual({ __typename: 'Mutation' });
    }
    expectRefused(await post(JSON.stringify({ query, queries: [] })), 400);
    expectRefused(await get({ query }), 405);
  });

  test('is refused with an unknown operation name as it would be at first', async () => {
    const refusals = [];
    for (const accepted of [false, true]) {
      const named = `query Named{__typename ${accepted ? '' : 'unseen:__typename'}}`;
      if (accepted) expect((await post(JSON.stringify({ query: named }))).status).toBe(200);
      const { status, body } = await post(JSON.stringify({ query: named, operationName: 'Other' }));
      refusals.push([status, body.errors]);
    }
    expect(refusals[0]?.[1]).toHaveLength(1);
    expect(refusals[1]).toEqual(refusals[0]);
  });
});

describe('query strings', () => {
  test.each([
    ['nothing', ''],
    ['an empty query', 'query='],
    ['another parameter', 'q={__typename}'],
    ['two queries', 'query={__typename}&query={a}'],
    ['variables that are no JSON', 'query={__typename}&variables={a'],
    ['extensions that are no JSON', 'query={__typename}&extensions=['],
    ['variables that are a list', 'query={__typename}&variables=[1]'],
    ['variables that nest too deeply', `query={__typename}&variables=${'['.repeat(2_000)}${']'.repeat(2_000)}`],
    ['extensions that nest too deeply', `query={__typename}&extensions=${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`],
    ['what a health check asks for', 'x=/health'],
  ])('are refused: %s', async (_name, search) => expectRefused(await get(search), 400));

  test.each(['api_key', 'apiKey', 'key', 'token', 'access_token', 'authorization', 'Authorization'])(
    'hold no key: %s',
    async (name) => {
      const { service, key } = attacker;
      for (const value of [key, `Bearer ${key}`]) {
        const search = new URLSearchParams({ query: '{account{name}}', [name]: value });
        const answer = await fetch(`${service.origin}/graphql?${search}`);
        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
    },
  );

  test.each([
    ['auth_token', 'x-auth-token'],
    ['proxy', 'x-proxy'],
    ['encryption_code', 'x-encryption-code'],
  ])('hold no credential: %s is refused with its header, in a POST too', async (name, header) => {
    const { service, key, token } = attacker;
    for (const method of ['GET', 'POST']) {
      const search = new URLSearchParams({ query: '{viewer{id}}', [name]: token });
      const answer = await fetch(`${service.origin}/graphql?${search}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...json },
        ...(method === 'POST' && { body: '{"query":"{viewer{id}}"}' }),
      });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ errors: [{ message: expect.stringContaining(header) }] });
    }
  });

  test.each(['authToken', 'x-auth-token'])('hold no actor: %s', async (name) => {
    const { service, key, token } = attacker;
    const search = new URLSearchParams({ query: '{viewer{id}}', [name]: token });
    const answer = await fetch(`${service.origin}/graphql?${search}`, { headers: { authorization: `Bearer ${key}` } });
    const errors = [{ message: expect.stringMatching(/x-auth-token/) }];
    expect(await answer.json()).toMatchObject({ data: { viewer: null }, errors });
  });
});

describe('bodies', () => {
  const head = 'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

  test.each<[string, BodyInit, Record<string, string>, number]>([
    ['a batch', `[${typename},${typename}]`, json, 400],
    ['an empty batch', '[]', json, 400],
    ['nothing', '', json, 400],
    ['null', 'null', json, 400],
    ['text', '"{__typename}"', json, 400],
    ['an empty object', '{}', json, 400],
    ['no query', '{"variables":{}}', json, 400],
    ['JSON that is cut', '{"query":"{__typename}"', json, 400],
    ['something after the JSON', `${typename} x`, json, 400],
    ['bytes that are no UTF-8', Buffer.from('{"query":"{__typename}","operationName":"\xff"}', 'latin1'), json, 400],
    ['a parameter of no meaning', '{"query":"{__typename}","auth_token":"x"}', json, 400],
    ['__proto__ as a parameter', '{"query":"{__typename}","__proto__":{"query":"x"}}', json, 400],
    ['a query only inherited', '{"__proto__":{"query":"{__typename}"}}', json, 400],
    ['a NUL in the document', '{"query":"{__typename\\u0000}"}', newer, 400],
    ['half a surrogate pair', '{"query":"{a(b:\\"\\ud800\\")}"}', newer, 400],
    ['a form', 'query={__typename}', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['multipart without its parts', '--x\r\n\r\n--x--', { 'content-type': 'multipart/form-data; boundary=x' }, 400],
    ['multipart without a boundary', '--x--', { 'content-type': 'multipart/form-data' }, 400],
    ['a bare document', '{__typename}', { 'content-type': 'application/graphql' }, 415],
    ['text by its type', typename, { 'content-type': 'text/plain' }, 415],
    ['another encoding of characters', typename, { 'content-type': 'application/json; charset=utf-16' }, 415],
    ['gzip', gzipSync(typename), { ...json, 'content-encoding': 'gzip' }, 415],
    ['deflate that is none', typename, { ...json, 'content-encoding': 'deflate' }, 415],
    ['a name of JavaScript as encoding', typename, { ...json, 'content-encoding': 'constructor' }, 415],
  ])('are refused: %s', async (_name, body, headers, status) => expectRefused(await post(body, headers), status));

  test('of 20 MB of variables are refused, announced or not', async () => {
    const body = `{"query":"{__typename}","variables":{"a":"${'x'.repeat(20_000_000)}"}}`;
    expectRefused(await post(body), 413);
    const stream = new Blob(Array.from({ length: 20 }, () => ' '.repeat(100_000))).stream();
    const streamed = { method: 'POST', headers: json, body: stream, duplex: 'half' } as RequestInit;
    expectRefused(await attacker.send(streamed), 413);
  });

  test.each([
    ['variables', `{"query":"{__typename}","variables":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`],
    ['extensions', `{"query":"{__typename}","extensions":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`],
    ['nothing in particular', '['.repeat(60_000)],
  ])('are refused if they nest too deeply: %s', async (_name, body) => {
    const answer = await post(body);
    expectRefused(answer, 400);
    expect(answer.body.errors?.[0]?.message).toBe('The body nests deeper than 64 levels');
  });

  test('with more values than any request needs are refused', async () => {
    const answer = await post(`{"query":"{__typename}","variables":{"a":[${'0,'.repeat(20_000)}0]}}`);
    expectRefused(answer, 400);
    expect(answer.body.errors?.[0]?.message).toBe('The body has more than 10000 values');
  });

  test('without a key are at most 64 KiB, with one 1 MiB', async () => {
    const body = (bytes: number) => typename.padEnd(bytes);
    const url = `${attacker.service.origin}/graphql`;
    const anonymously = (sent: BodyInit) =>
      fetch(url, { method: 'POST', headers: json, body: sent, duplex: 'half' } as RequestInit);
    expect((await anonymously(body(65_536))).status).toBe(200);
    for (const sent of [body(65_537), new Blob([body(65_537)]).stream()]) {
      const answer = await anonymously(sent);
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ errors: [{ message: 'The body is larger than 65536 bytes' }] });
    }
    expect((await post(body(1_048_576))).status).toBe(200);
    expectRefused(await post(body(1_048_577)), 413);
  });

  test('announced as 100 MB are refused at once, and so are chunks that never end', async () => {
    const announced = await exchange(attacker.service.origin, `${head}Content-Length: 100000000\r\n\r\n{`);
    expect(announced.answers[0]?.status).toBe(413);
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const endless = [`${head}Transfer-Encoding: chunked\r\n\r\n`, ...Array.from({ length: 17 }, () => chunk)];
    expect((await exchange(attacker.service.origin, endless)).answers[0]?.status).toBe(413);
  });

  test('that end before their length leave nothing behind', async () => {
    for (let i = 0; i < 20; i++) {
      const socket = await openSocket(attacker.service.origin);
      socket.write(`${head}Content-Length: 99\r\n\r\n{"query":`);
      setTimeout(() => (i % 2 ? socket.resetAndDestroy() : socket.end()), 10);
    }
  });
});

describe('Host', () => {
  test.each(['a b', '[', 'x/y?z', ':0:0', 'evil\\@x'])('"%s" changes nothing', async (host) => {
    const search = new URLSearchParams({ query: '{__typename}' });
    const answer = await getFromHost(attacker.service.origin, `/graphql?${search}`, host);
    expect(answer).toMatchObject({ status: 200, body: expect.stringContaining('"__typename":"Query"') });
  });
});
