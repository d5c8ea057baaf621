import { describe, expect, test } from 'vitest';
import { exchange } from '../../support/raw.ts';
import { useService } from '../../support/use-service.ts';

const { service, ada } = await useService();
const { key, authToken: token } = ada.options;

async function send(line: string, headers: readonly string[], body = '') {
  const length = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`];
  const head = [line, 'Host: localhost', ...headers, ...length].join('\r\n');
  const { answers } = await exchange(service.origin, `${head}\r\n\r\n${body}`);
  const [answer] = answers;
  if (!answer) throw new Error('no answer');
  return answer;
}

describe('a header that can have one value only', () => {
  const write = 'POST /v1/tweet/favorite HTTP/1.1';

  test.each([
    ['Authorization', () => [`Authorization: Bearer ${key}`, 'Authorization: Bearer another']],
    ['Authorization, the same', () => [`Authorization: Bearer ${key}`, `authorization: Bearer ${key}`]],
    ['x-auth-token', () => [`Authorization: Bearer ${key}`, `x-auth-token: ${token}`, 'X-Auth-Token: another']],
    ['x-proxy', () => [`Authorization: Bearer ${key}`, 'x-proxy: http://a.example', 'x-proxy: http://b.example']],
    ['x-encryption-code', () => [`Authorization: Bearer ${key}`, 'x-encryption-code: 1', 'x-encryption-code: 2']],
    ['Idempotency-Key', () => [`Authorization: Bearer ${key}`, 'Idempotency-Key: a', 'Idempotency-Key: b']],
    ['Content-Type', () => [`Authorization: Bearer ${key}`, 'Content-Type: text/plain']],
  ])('is refused when it is repeated: %s', async (name, headers) => {
    const header = name.split(',')[0]?.toLowerCase();
    const message = `Malformed header: ${header}: given 2 times, send it once`;
    const rest = await send(write, headers(), '{"tweet_id":"12"}');
    expect(rest.status).toBe(400);
    expect(JSON.parse(rest.body)).toEqual({ status: false, data: null, error: message });
    expect(rest.headers.get('cache-control')).toBe('no-store');
    const graphql = await send('POST /graphql HTTP/1.1', headers(), '{"query":"{account{id}}"}');
    expect(graphql.status).toBe(400);
    const extensions = { code: 'BAD_USER_INPUT', status: 400 };
    expect(JSON.parse(graphql.body)).toMatchObject({ errors: [{ message, extensions }] });
    expect(graphql.headers.get('cache-control')).toBe('no-store');
  });

  test('may stand beside others that are repeated', async () => {
    const headers = [`Authorization: Bearer ${key}`, 'Accept: application/json', 'Accept: */*', 'x-odd: 1', 'x-odd: 2'];
    expect((await send('GET /v1/account HTTP/1.1', headers)).status).toBe(200);
  });
});

test('two different lengths of a body are refused', async () => {
  const headers = [`Authorization: Bearer ${key}`, 'Content-Length: 3'];
  expect((await send('POST /v1/tweet/favorite HTTP/1.1', headers, '{"a":1}')).status).toBe(400);
});

describe('X-Content-Type-Options: nosniff', () => {
  test.each([
    ['GET /v1/account HTTP/1.1', 401],
    ['GET /v1/nowhere HTTP/1.1', 404],
    ['GET /v1/%zz HTTP/1.1', 404],
    ['GET /v1/webhooks/%zz HTTP/1.1', 400],
    ['DELETE /v1/account HTTP/1.1', 405],
    ['GET /healthz HTTP/1.1', 200],
    ['GET /readyz HTTP/1.1', 200],
    ['GET /openapi.json HTTP/1.1', 200],
    ['GET /graphql?query=%7B__typename%7D HTTP/1.1', 200],
    ['GET /graphql HTTP/1.1', 400],
    ['PUT /graphql HTTP/1.1', 405],
    ['GET / HTTP/1.1', 200],
    ['BREW / HTTP/1.1', 400],
    ['GET /healthz HTTP/1.1\r\nHost: two', 400],
  ])('is on every response: %s', async (line, status) => {
    const answer = await send(line, []);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('is on a billed response and on a stream', async () => {
    const { headers } = ada;
    const page = await fetch(`${service.origin}/v1/user/info?userName=ada`, { headers });
    expect(page.headers.get('x-credits-charged')).toBe('0.001');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    const stream = await fetch(`${service.origin}/v1/events`, { headers });
    expect(stream.headers.get('x-content-type-options')).toBe('nosniff');
    await stream.body?.cancel();
  });
});
