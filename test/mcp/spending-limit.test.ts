import { expect, test } from 'vitest';
import { Transport } from '../../src/client/transport.ts';
import { GatewayBackend } from '../../src/mcp/stdio/gateway-backend.ts';
import { SpendingLimit } from '../../src/mcp/stdio/spending-limit.ts';
import { tools } from '../../src/mcp/tools.ts';

const credit = { 'x-credits-remaining': '1' };

/** Returns a backend whose requests get these responses; `null` is a lost response. */
function backendWith(responses: readonly (Record<string, string> | null)[], limit: SpendingLimit) {
  const left = [...responses];
  const fetch = async () => {
    const headers = left.shift() ?? null;
    if (headers === null) throw new TypeError('the connection was lost');
    return Response.json({ status: true, data: {}, error: null }, { headers: { ...credit, ...headers } });
  };
  const options = { baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'key', authToken: 'token', fetch };
  return new GatewayBackend(new Transport(options), limit);
}

function callOf(name: string, idempotencyKey: string | null = null) {
  const tool = tools.find(({ action }) => action.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return { tool, input: {}, idempotencyKey, signal: new AbortController().signal };
}

test.each([
  ['user/me', { 'x-credits-charged': '0.001' }],
  ['tweet/create', { 'idempotent-replayed': 'true' }],
])('with a limit, %s is not repeated after a lost response, which counts as charged', async (name, next) => {
  const limit = new SpendingLimit(2_000);
  const backend = backendWith([null, next], limit);
  const call = backend.call(callOf(name, name === 'tweet/create' ? 'one' : null));
  await expect(call).rejects.toMatchObject({ code: 'connection_failed' });
  expect(limit.left).toBe('0.001');
});

test('a call counts with what the gateway has charged', async () => {
  const limit = new SpendingLimit(10_000);
  await backendWith([{ 'x-credits-charged': '0.003' }], limit).call(callOf('user/me'));
  expect(limit.left).toBe('0.007');
  await backendWith([{ 'idempotent-replayed': 'true' }], limit).call(callOf('tweet/create', 'one'));
  expect(limit.left).toBe('0.007');
});
