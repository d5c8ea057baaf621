import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { errorCodeOf } from '../../../src/shared/errors/table.ts';
import { expectQuick } from '../../support/processor-time.ts';
import { exchange, openSocket, type RawAnswer } from '../../support/raw.ts';
import { restingBalance } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { service, ada: caller } = await useService();
const { key = '', authToken: token = '' } = caller.options;
afterEach(async () => {
  expect((await caller.get('/account/balance')).body.data).toMatchObject({ balance: '1', held: '0' });
});

const send = (parts: string | Buffer | readonly (string | Buffer)[], options = {}) =>
  exchange(service.origin, parts, options);

/** Returns a complete request with the usual headers. */
function request(line: string, headers: readonly string[] = [], body = ''): string {
  const usual = ['Host: localhost', `Authorization: Bearer ${key}`, `x-auth-token: ${token}`];
  return `${line}\r\n${[...usual, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

function post(body: string | Buffer, headers: readonly string[] = []): Buffer {
  const head = request('POST /v1/tweet/create HTTP/1.1', [
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ]);
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}

/** Checks that the response is an Envelope with a 4xx status and contains neither input nor internal details. */
function expectEnvelope(answer: RawAnswer | undefined, status?: number): void {
  expect(answer).toBeDefined();
  if (!answer) return;
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(JSON.parse(answer.body)).toEqual({ status: false, data: null, error: expect.any(String) });
  expect(answer.headers.get('x-error-code'), answer.body).toBe(errorCodeOf(answer.status));
  expect(answer.headers.get('x-request-id'), answer.body).toMatch(/^[\x21-\x7e]{1,64}$/);
  for (const [name, value] of answer.headers) expect(name + value).not.toMatch(/x-credits|x-powered-by|express/i);
  for (const leak of [key, token, 'node_modules', '/src/', 'Error:']) expect(answer.body).not.toContain(leak);
  expect(answer.body).not.toMatch(/:\d+:\d+/);
  if (status === undefined) expect(Math.floor(answer.status / 100), answer.body).toBe(4);
  else expect(answer.status, answer.body).toBe(status);
}

describe('malformed and unusual HTTP', () => {
  const create = 'POST /v1/tweet/create HTTP/1.1\r\nHost: a\r\n';

  test.each<[string, string, number]>([
    ['a header of 20 KB', `GET /v1/account HTTP/1.1\r\nHost: a\r\nx-big: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a request line of 20 KB', `GET /v1/account?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ['nonsense', 'hello, is it me you are looking for\r\n\r\n', 400],
    ['HTTP/0.9', 'GET /v1/account\r\n\r\n', 401],
    ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['another protocol version', 'GET / HTTP/7.3\r\nHost: a\r\n\r\n', 400],
    ['a TLS greeting', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003', 400],
    ['a method that nobody knows', 'BREW /v1/account HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a NUL in a header', 'GET /v1/account HTTP/1.1\r\nHost: a\r\nx: a\u0000b\r\n\r\n', 400],
    ['a space before the colon', 'GET /v1/account HTTP/1.1\r\nHost: a\r\nx-a : b\r\n\r\n', 400],
    ['a folded header', 'GET /v1/account HTTP/1.1\r\nHost: a\r\nx-a: b\r\n c\r\n\r\n', 400],
    ['no Host', 'GET /v1/account HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', 'GET /v1/account HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['two lengths', `${create}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
    ['a length that is none', `${create}Content-Length: two\r\n\r\n{}`, 400],
    ['a negative length', `${create}Content-Length: -1\r\n\r\n{}`, 400],
    [
      'both a length and chunks (smuggling)',
      `${create}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG`,
      400,
    ],
    ['an unknown transfer coding', `${create}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, 400],
  ])('is refused: %s', async (_name, bytes, status) => {
    const { answers } = await send(Buffer.from(bytes, 'latin1'));
    expectEnvelope(answers[0], status);
    expect(answers).toHaveLength(1);
  });

  test.each(
    ['/v1/tweet/create', '/v1/account', '/graphql', '/mcp', '/healthz', '/metrics', '/docs', '/none'].flatMap((path) =>
      ['gzip, chunked', 'identity, chunked', 'GZIP\r\nTransfer-Encoding: chunked'].map((coding) => [path, coding]),
    ),
  )('%s: refuses Transfer-Encoding: %s with 501 before the body', async (path, coding) => {
    const bytes = request(`POST ${path} HTTP/1.1`, [`Transfer-Encoding: ${coding}`], '5\r\n');
    const { answers, closed } = await send(bytes, { answers: 2 });
    expect(answers.map(({ status }) => status)).toEqual([501]);
    expect(answers[0]?.body).toContain('The only supported transfer coding is chunked');
    expect(closed).toBe(true);
  });

  test.each([
    ['chunked, and then another coding', 'Transfer-Encoding: chunked, identity'],
    ['chunked twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked'],
    ['chunked after a tab', 'Transfer-Encoding:\x0bchunked'],
    ['a length with a sign', 'Content-Length: +6'],
    ['a length in a list', 'Content-Length: 6, 6'],
    ['a length in hex', 'Content-Length: 0x6'],
    ['a name that continues after a blank', 'Transfer-Encoding : chunked'],
    ['a line that ends with CR alone', 'x-a: b\rTransfer-Encoding: chunked'],
    ['a line that ends with LF alone', 'x-a: b\nTransfer-Encoding: chunked'],
  ])('is one request or none, never two (smuggling): %s', async (_name, header) => {
    const body = '0\r\n\r\nGET /v1/account HTTP/1.1\r\nHost: a\r\n\r\n';
    const bytes = Buffer.from(request('POST /v1/tweet/create HTTP/1.1', [header], body), 'latin1');
    const { answers } = await send(bytes, { answers: 2, quietMs: 1_000 });
    expect(answers.length, answers.map(({ status }) => status).join()).toBeLessThanOrEqual(1);
    for (const answer of answers) expectEnvelope(answer);
  });

  test('no header is lost behind a thousand others', async () => {
    const many = Array.from({ length: 2_500 }, () => 'a:');
    const own = `Authorization: Bearer ${key}`;
    const get = (headers: readonly string[]) => `GET /v1/account HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
    const { answers } = await send(get(['Host: a', ...many, own]));
    expect(answers[0]?.status, answers[0]?.body).toBe(200);
    const twice = await send(get(['Host: a', own, ...many, 'Authorization: Bearer other']));
    expectEnvelope(twice.answers[0], 400);
  });

  test('no parameter is lost behind a thousand others', async () => {
    const many = Array.from({ length: 1_500 }, (_, i) => `${i}=`).join('&');
    const { answers } = await send(request(`GET /v1/user/info?${many}&userName=grace&proxy=socks5://a HTTP/1.1`));
    expectEnvelope(answers[0], 400);
    expect(answers[0]?.body).toContain('proxy');
  });

  test('is refused: chunks whose size is no number', async () => {
    const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const { answers } = await send(request('POST /v1/tweet/create HTTP/1.1', headers, 'zz\r\n{}\r\n0\r\n\r\n'));
    expectEnvelope(answers[0], 400);
    expect(answers).toHaveLength(1);
  });

  test('CONNECT is not a proxy', async () => {
    const { text, closed } = await send('CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(text).not.toMatch(/^HTTP\/1\.1 [25]/);
    expect(closed).toBe(true);
  });

  test('an absolute address does not reach anything else', async () => {
    const { answers } = await send(request('GET http://169.254.169.254/latest/meta-data HTTP/1.1'));
    expectEnvelope(answers[0], 404);
  });

  test.each(['OPTIONS * HTTP/1.1', 'TRACE /v1/account HTTP/1.1', 'PROPFIND /v1/account HTTP/1.1'])(
    '%s',
    async (line) => {
      const { answers } = await send(request(line));
      expectEnvelope(answers[0]);
      expect(answers[0]?.body).not.toContain('Bearer');
    },
  );

  test('an Upgrade is passed over', async () => {
    const headers = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x'];
    const { answers } = await send(request('GET /v1/nowhere HTTP/1.1', headers));
    expectEnvelope(answers[0], 404);
  });

  test('an unknown expectation is ignored, and 100-continue is met', async () => {
    const odd = await send(request('GET /v1/nowhere HTTP/1.1', ['Expect: miracles']));
    expectEnvelope(odd.answers[0], 404);
    const usual = await send(post('{}', ['Expect: 100-continue']));
    expectEnvelope(usual.answers[0], 400);
  });

  test('HTTP/1.0 without Host is accepted', async () => {
    const { answers, closed } = await send('GET /healthz HTTP/1.0\r\n\r\n', { answers: 2 });
    expect(answers[0]?.status).toBe(200);
    expect(closed).toBe(true);
  });
});

describe('paths and queries', () => {
  test.each([
    '/v1/%00',
    '/v1/%zz',
    '/v1/%ff',
    '/v1/account%00',
    '/v1/tweet/%c0%ae%c0%ae/create',
    '/v1/..%2f..%2fetc/passwd',
    '/%',
    '/healthz%00',
    '/\\..\\v1',
    `/${'a/'.repeat(3_000)}`,
  ])('that lead nowhere are 4xx: %s', async (path) => {
    expectEnvelope((await send(request(`GET ${path} HTTP/1.1`))).answers[0]);
  });

  test.each([
    'userName=%00',
    'userName=%zz',
    'userName=%ff',
    'userName=%',
    'userId=%00',
    'userName=ada&auth_token=%00',
    'userName=ada&auth_token=%ff',
    'userName[$ne]=x',
    'userName[]=ada',
    '__proto__[x]=1',
    '__proto__=1&__proto__=2',
    'constructor=1&constructor=2',
    'hasOwnProperty=1',
    '&&&==&=',
    `${'a=1&'.repeat(2_000)}`,
    `userName=${'%25'.repeat(2_000)}`,
  ])('with bytes that are no text, or names that JavaScript has: %s', async (query) => {
    expectEnvelope((await send(request(`GET /v1/user/info?${query} HTTP/1.1`))).answers[0], 400);
  });
});

describe('bodies', () => {
  const gzip = 'Content-Encoding: gzip';

  test.each<[string, string | Buffer, string, number]>([
    ['gzip that is none', '{"text":"x"}', gzip, 400],
    ['gzip that is cut', gzipSync('{"text":"x"}').subarray(0, 15), gzip, 400],
    ['an encoding that nobody knows', '{}', 'Content-Encoding: rot13', 415],
    ['an encoding twice', gzipSync(gzipSync('{}')), 'Content-Encoding: gzip, gzip', 415],
    ['an encoding that is a name in JavaScript', '{}', 'Content-Encoding: constructor', 415],
  ])('are refused: %s', async (_name, body, header, status) => {
    expectEnvelope((await send(post(body, [header]))).answers[0], status);
  });

  test('are not blown up: 50 MB of zeros in 50 KB', async () => {
    const before = process.memoryUsage().rss;
    expectEnvelope((await send(post(gzipSync(Buffer.alloc(50_000_000)), [gzip]))).answers[0], 413);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  test('are read when they are honest gzip', async () => {
    const { answers } = await send(post(gzipSync('{"text":""}'), [gzip]));
    expectEnvelope(answers[0], 400);
    expect(answers[0]?.body).toContain('Missing required field: text');
  });

  test.each<[string, string]>([
    ['deeply nested arrays', `{"text":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['deeply nested objects', `{"text":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`],
    ['deeply nested and open', '['.repeat(500_000)],
    ['a number beyond numbers', '{"text":1e999999}'],
    ['a number of 100,000 digits', `{"text":${'9'.repeat(100_000)}}`],
    ['half a surrogate pair', '{"text":"\\ud800"}'],
    ['bytes that are not UTF-8', '{"tweet_id":"\u00ff\u00fe"'],
    ['__proto__ as the text', '{"__proto__":{"text":"polluted"}}'],
    ['constructor as the text', '{"constructor":{"prototype":{"text":"polluted"}}}'],
    ['a million keys', `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`],
    ['a query for a database', '{"text":{"$gt":""},"reply_to_tweet_id":{"$ne":null}}'],
    ['a NUL in an id', '{"text":"x","reply_to_tweet_id":"1\\u0000"}'],
  ])('are refused in time: %s', async (_name, body) => {
    await expectQuick(2_000, async () =>
      expectEnvelope((await send(post(Buffer.from(body, 'latin1')))).answers[0], 400),
    );
    expect(({} as Record<string, unknown>)['text']).toBeUndefined();
  });

  test('that never end: announced as 100 MB, refused at once', async () => {
    const headers = ['Content-Type: application/json', 'Content-Length: 100000000'];
    const head = request('POST /v1/tweet/create HTTP/1.1', headers);
    expectEnvelope((await send([head, 'x'.repeat(1_000)])).answers[0], 413);
  });
});

describe('connections', () => {
  test('that send half a request and go leave nothing behind', async () => {
    const half = [
      'GET /v1/acc',
      request('POST /v1/tweet/create HTTP/1.1', ['Content-Type: application/json', 'Content-Length: 50'], '{"text":'),
    ];
    for (const bytes of half) {
      for (let i = 0; i < 20; i++) {
        const socket = await openSocket(service.origin);
        socket.write(bytes);
        setTimeout(() => (i % 2 ? socket.resetAndDestroy() : socket.end()), 10);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await restingBalance(caller)).toBe('1');
  });

  test('can send several requests at once: the responses are in order', async () => {
    const targets = ['GET /v1/account/balance', 'GET /v1/nowhere', 'DELETE /v1/account', 'GET /healthz'];
    const { answers } = await send(targets.map((line) => request(`${line} HTTP/1.1`)).join(''), { answers: 4 });
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 405, 200]);
  });

  test('after a refused body are still understood', async () => {
    const two = Buffer.concat([post('{"text":1}'), Buffer.from(request('GET /healthz HTTP/1.1'))]);
    const { answers } = await send(two, { answers: 2 });
    expect(answers.map(({ status }) => status)).toEqual([400, 200]);
  });
});
