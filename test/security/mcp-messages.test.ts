import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { restingBalance } from '../support/refusal.ts';
import { useService } from '../support/use-service.ts';
import { McpCaller } from './mcp-caller.ts';

const { service, ada: owner } = await useService({ RATE_LIMIT: '0' });

const mcp = new McpCaller(`${service.origin}/mcp?policy=destructive`, owner.options);

const message = (fields: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...fields });
const call = (params: unknown) => message({ method: 'tools/call', params });
const create = (input: unknown) => call({ name: 'tweet_create', arguments: input });
const info = (input: unknown) => call({ name: 'user_info', arguments: input });
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describe('a malformed message', () => {
  test.each<[string, string]>([
    ['no JSON', 'tools/call'],
    ['nothing', ''],
    ['a text', '"tools/call"'],
    ['null', 'null'],
    ['a batch', `[${call({ name: 'tweet_create', arguments: { text: 'in a batch' } })}]`],
    ['an object without fields', '{}'],
    ['another version of the protocol', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}'],
    ['an id that is an object', message({ id: {}, method: 'tools/list' })],
    ['a method that is an object', message({ method: { toString: 'tools/list' } })],
    ['a method with the name of a property', message({ method: '__proto__' })],
    ['an unknown method', message({ method: 'resources/read', params: { uri: 'file:///etc/passwd' } })],
    ['a subscription', message({ method: 'subscriptions/listen', params: {} })],
    ['a response to a question that was never asked', '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ['parameters that are a list', call([])],
    ['a tool that is an object', call({ name: {}, arguments: {} })],
    ['a tool with the name of a property', call({ name: 'constructor', arguments: {} })],
    ['a path as the tool', call({ name: '../account/keys', arguments: {} })],
    ['arguments that are a text', call({ name: 'tweet_create', arguments: 'text' })],
    ['arguments that are a list', call({ name: 'tweet_create', arguments: ['text'] })],
    ['arguments that are null', call({ name: 'tweet_create', arguments: null })],
    ['a text that is an object', call({ name: 'tweet_create', arguments: { text: { $ne: null } } })],
    ['credentials as arguments', info({ userName: 'ada', auth_token: 'x', proxy: 'http://a' })],
    ['an idempotency key that is an object', create({ text: 'x', idempotency_key: {} })],
    ['an idempotency key with a line break', create({ text: 'x', idempotency_key: 'a\r\nb: c' })],
    [
      'depth',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"user_info","arguments":${nested(50_000)}}}`,
    ],
    ['60,000 arguments', info(Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, 0])))],
    ['2 MiB', info({ userName: 'x'.repeat(2 * 1024 * 1024) })],
  ])('is refused, and costs nothing: %s', async (_name, body) => {
    const response = await mcp.send(body);
    const text = await response.text();
    expect(response.status, text).toBeLessThan(500);
    expect(text).toMatch(/"error"|"isError":true|^$/);
    expect(text).not.toMatch(/node_modules|at \w+ \(/);
    expect(await restingBalance(owner)).toBe('1');
  });

  test('is refused if it is compressed to a thousandth', async () => {
    const bomb = gzipSync(call({ name: 'user_info', arguments: { userName: ' '.repeat(50_000_000) } }));
    const response = await fetch(`${service.origin}/mcp`, {
      method: 'POST',
      headers: { ...owner.headers, 'content-encoding': 'gzip', 'content-type': 'application/json' },
      body: new Uint8Array(bomb),
    });
    expect(response.status).toBe(413);
  });
});

describe('a message of a web page', () => {
  test.each(['null', 'http://127.0.0.1:4000', 'https://evil.example', 'file://'])(
    'is refused: Origin %s',
    async (origin) => {
      const response = await mcp.send(message({ method: 'tools/list' }), { origin });
      expect(response.status).toBe(403);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    },
  );
});

test.each([
  ['mcp-protocol-version', '9999-99-99'],
  ['mcp-session-id', 'x'.repeat(4_000)],
  ['last-event-id', '1'],
  ['mcp-method', 'tools/call'],
])('the header %s with any value does no harm', async (name, value) => {
  const response = await mcp.send(message({ method: 'tools/list' }), { [name]: value });
  await response.text();
  expect(response.status).toBeLessThan(500);
});
