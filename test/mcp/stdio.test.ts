import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { postern } from '../support/command.ts';
import { freePort } from '../support/mongo-server.ts';
import { isAll } from '../support/repetitions.ts';
import { useService } from '../support/use-service.ts';
import { type Agent, type Generation, generations, overHttp, overStdio } from './agents.ts';

// The service loads it at the first request (test/support/service.ts).
import '../../src/api/mcp/http.ts';

const opened: Agent[] = [];

const { service, ada: owner } = await useService({ RATE_LIMIT: '0' }, { dollars: '5' });
const { baseUrl, key = '', authToken = '' } = owner.options;
const env = { POSTERN_URL: baseUrl, POSTERN_API_KEY: key, POSTERN_AUTH_TOKEN: authToken };
afterEach(() => Promise.all(opened.splice(0).map((agent) => agent.close())));

async function agent(args: string[] = [], changes: Record<string, string> = {}, generation: Generation = '1.x') {
  const started = await overStdio(generation, { ...env, ...changes }, args);
  opened.push(started);
  return started;
}

const balance = async () => (await owner.get('/account/balance')).body.data['balance'];

describe('postern mcp', () => {
  test.each([
    [{}, 'POSTERN_URL is not set: set POSTERN_URL, such as http://127.0.0.1:4000/v1, and POSTERN_API_KEY'],
    [{ POSTERN_URL: 'http://127.0.0.1:4000', POSTERN_API_KEY: 'key' }, 'that ends with /v1'],
    [{ POSTERN_URL: 'http://127.0.0.1:4000/v1' }, 'POSTERN_API_KEY is not set'],
  ])('says what to set: %j', async (given, expected) => {
    const { code, out, err } = await postern(['mcp'], given);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(expected)]);
  });

  test('refuses an unknown policy and an impossible limit', async () => {
    expect((await postern(['mcp', '--policy', 'all'], env)).err).toContain('read, write, destructive');
    expect((await postern(['mcp', '--max-dollars', '-1'], env)).err).toContain('--max-dollars must be more than 0');
  });
});

describe.each(isAll ? generations : generations.slice(0, 1))('the client %s', (generation) => {
  test('lists the tools of its policy, reads, and writes once', async () => {
    const writer = await agent(['--policy', 'write'], {}, generation);
    const names = await writer.names();
    expect(names).toEqual(expect.arrayContaining(['user_info', 'tweet_create']));
    expect(names).not.toContain('tweet_delete');
    const { text, structured } = await writer.call('user_info', { userName: 'grace' });
    const cost = { charged: '0.001', credit_left: await balance() };
    expect(structured).toMatchObject({ data: { userName: 'grace' }, cost });
    expect(text).toContain('written by strangers');
    const input = { text: `From ${generation}`, idempotency_key: `stdio ${generation}` };
    const first = await writer.call('tweet_create', input);
    const second = await writer.call('tweet_create', input);
    expect(second.structured).toMatchObject({ data: first.structured.data, replayed: true, cost: { charged: '0' } });
  });
});

test('lists only what the API key may call', async () => {
  const create = { name: 'Agent', read_only: true, groups: ['user', 'account'] };
  const { data } = (await owner.post('/account/keys', create)).body;
  const reader = await agent(['--policy', 'destructive'], { POSTERN_API_KEY: String(data['key']) });
  const names = await reader.names();
  expect(names).toEqual(expect.arrayContaining(['user_info', 'account_balance']));
  expect(names.filter((name) => !/^(user|account)/.test(name))).toEqual([]);
  expect(names).not.toContain('user_follow');
  const refused = await reader.call('user_follow', { username: 'grace' });
  expect(refused.structured.error).toMatchObject({ code: 'forbidden', message: expect.stringContaining('read-only') });
});

test('the configuration in docs/agents.md works', async () => {
  const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8');
  const configured = [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, json = '']) => JSON.parse(json));
  const { args, env: variables } = configured[0].mcpServers.postern;
  expect(args.slice(0, 2)).toEqual([expect.stringMatching(/scripts\/postern\.js$/), 'mcp']);
  const given = { ...env, POSTERN_ENCRYPTION_CODE: service.demo.accounts[0].encryptionCode };
  expect(Object.keys(variables).sort()).toEqual(Object.keys(given).sort());
  expect((await (await agent(args.slice(2), given)).call('dm_list', { count: 1 })).isError).toBe(false);

  const filled = owner.headers;
  for (const { url, headers } of [configured[1].mcpServers.postern, configured[2].servers.postern]) {
    expect(Object.keys(headers).map((name) => name.toLowerCase())).toEqual(expect.arrayContaining(Object.keys(filled)));
    const connected = await overHttp('1.x', url.replace('http://127.0.0.1:4000', service.origin), filled);
    opened.push(connected);
    expect((await connected.call('user_me')).isError).toBe(false);
  }
});

test('spends no more than --max-dollars, and a failed call costs nothing', async () => {
  const frugal = await agent(['--max-dollars', '0.002']);
  const missing = await frugal.call('user_info', { userName: 'nobody_at_all' });
  const cost = { charged: '0', limit_left: '0.002' };
  expect(missing.structured).toMatchObject({ error: { code: 'not_found' }, cost });
  const first = await frugal.call('user_me');
  expect(first.structured.cost).toMatchObject({ charged: '0.001', limit_left: '0.001' });
  const calls = await Promise.all([1, 2, 3].map(() => frugal.call('user_me')));
  expect(calls.filter(({ isError }) => !isError)).toHaveLength(1);
  const refused = calls.find(({ isError }) => isError);
  const message = expect.stringContaining('(--max-dollars)');
  expect(refused?.structured.error).toMatchObject({ code: 'insufficient_credits', message });
  expect((await frugal.call('account_balance')).isError).toBe(false);
});

test('refuses credentials as arguments, and names missing ones', async () => {
  const reader = await agent([], { POSTERN_AUTH_TOKEN: '' });
  const refused = await reader.call('user_me', { auth_token: env['POSTERN_AUTH_TOKEN'] });
  expect(refused.structured.error).toMatchObject({ code: 'bad_input' });
  const { structured } = await reader.call('user_me');
  expect(structured.error).toMatchObject({ what_to_do: expect.stringContaining('POSTERN_AUTH_TOKEN') });
});

test('an aborted call ends at the gateway too', async () => {
  await service.addFault({ kind: 'hang' }, { operation: 'getUsersByUsername' });
  const reader = await agent();
  const aborting = new AbortController();
  const failed = expect(reader.call('user_info', { userName: 'grace' }, aborting.signal)).rejects.toThrow();
  const faults = async () => (await (await fetch(`${service.demo.sandboxUrl}/control/faults`)).json()) as object;
  await expect.poll(faults).toEqual({ faults: [] });
  aborting.abort(new Error('no longer needed'));
  await failed;
  const last = () => JSON.parse(service.log.findLast((line) => line.includes('hung_up')) ?? '{}');
  await expect.poll(last).toMatchObject({ action: 'user/info', chargedMicros: 0 });
  expect((await reader.call('account_balance')).isError).toBe(false);
});

test('ends when its client closes standard input, and at a message that is too large', async () => {
  expect(await postern(['mcp'], env, '')).toMatchObject({ code: 0, out: '' });
  const { code, err } = await postern(['mcp'], env, `{"text":"${'x'.repeat(2 * 1024 * 1024)}`);
  expect([code, err]).toEqual([1, expect.stringContaining('exceeded maximum size of 1048576 bytes')]);
});

test('a wrong key or a gateway that is away is named with its setting', async () => {
  const wrongKey = await agent([], { POSTERN_API_KEY: 'wrong' });
  await expect(wrongKey.list()).rejects.toThrow('Invalid API key');
  const wrongPath = await agent([], { POSTERN_URL: `${service.origin}/wrong/v1` });
  await expect(wrongPath.list()).rejects.toThrow('There is no /mcp beside the /v1 of POSTERN_URL');
  const away = await agent([], { POSTERN_URL: `http://127.0.0.1:${await freePort()}/v1` });
  await expect(away.list()).rejects.toThrow('Check that the gateway of POSTERN_URL runs');
  const { structured } = await away.call('user_me');
  expect(structured).toMatchObject({ error: { code: 'connection_failed' }, cost: { charged: null } });
});
