import { describe, expect, test } from 'vitest';
import { deadPort } from '../../proxy/forward-proxy.ts';
import { patientRuntime } from '../../support/patient-runtime.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

// The service loads it at the first request (test/support/service.ts).
import '../../../src/api/mcp/http.ts';

let now = Date.now();

const env = { FAILED_CALL_RATE_LIMIT: '6', OUTBOUND_ALLOW: '127.0.0.0/8' };
const runtime = { ...patientRuntime, now: () => now };
const { service, sandbox, newCaller } = await useService(env, { runtime });

async function caller() {
  const { client, graphql } = await newCaller();
  const accept = 'application/json, text/event-stream';
  const headers = { ...client.headers, 'content-type': 'application/json', accept };
  return {
    client,
    graphql,
    fail: () => client.get('/user/info', { userName: 'nobody_at_all' }),
    succeed: () => client.get('/user/info', { userName: 'grace' }),
    tool: async (userName: string) => {
      const params = { name: 'user_info', arguments: { userName } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      return (await fetch(`${service.origin}/mcp`, { method: 'POST', headers, body })).text();
    },
  };
}

const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();
/** Returns a query whose fields fail at the same time. */
const failing = (count: number) =>
  `{ ${Array.from({ length: count }, (_, i) => `a${i}: user(userName: "nobody_${i}") { id }`).join(' ')} }`;
const times = <T>(count: number, run: () => Promise<T>) => Promise.all(Array.from({ length: count }, run));

describe('an account whose calls may fail six times a minute', () => {
  test('is refused further calls with 429 before the platform is asked, and goes on later', async () => {
    const { fail, succeed } = await caller();
    for (let i = 0; i < 7; i++) expectRefusal(await fail(), 404);
    const asked = await sandbox.requests('getUsersByUsername');
    const error =
      'At most 6 calls of an account may fail per minute, because failed calls are free. Wait before the next call';
    for (const refused of [await fail(), await succeed()]) {
      expectRefusal(refused, 429, error);
      expect(refused.headers.get('retry-after')).toBe('10');
    }
    expect(await sandbox.requests('getUsersByUsername')).toBe(asked);
    expect((await (await caller()).succeed()).status).toBe(200);
    now += 20_000;
    expect((await succeed()).status).toBe(200);
    expectRefusal(await fail(), 404);
  });

  test('gains nothing by calls at the same time', async () => {
    const { graphql, succeed } = await caller();
    const { errors } = await graphql.ask(failing(26));
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(Array(26).fill('NOT_FOUND'));
    now += 60_000;
    expectRefusal(await succeed(), 429);
    now += 140_000;
    expect((await succeed()).status).toBe(200);
  });

  test('may make any number of calls that succeed or are malformed', async () => {
    const { client, succeed } = await caller();
    expect(statuses(await times(20, succeed))).toEqual(Array(20).fill(200));
    expect(statuses(await times(20, () => client.get('/user/info')))).toEqual(Array(20).fill(400));
    expect((await succeed()).status).toBe(200);
  });

  test('may repeat writes that fail, and a refused write leaves its Idempotency-Key free', async () => {
    const { client, fail } = await caller();
    const headers = { 'idempotency-key': 'write' };
    await times(8, fail);
    expectRefusal(await client.post('/tweet/create', { text: 'Refused at first' }, headers), 429);
    now += 60_000;
    expect((await client.post('/tweet/create', { text: 'Refused at first' }, headers)).status).toBe(200);
  });

  test('is refused over GraphQL for each field, and over /mcp', async () => {
    const { graphql, tool, succeed } = await caller();
    const { errors } = await graphql.ask(failing(8));
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(Array(8).fill('NOT_FOUND'));
    expect((await graphql.ask('{ user(userName: "grace") { id } }')).errors[0]?.extensions.code).toBe('RATE_LIMITED');
    expect(await tool('grace')).toContain('rate_limited');
    expectRefusal(await succeed(), 429);
  });

  test('is refused after failures of tools', async () => {
    const { tool, succeed } = await caller();
    for (let i = 0; i < 7; i++) expect(await tool('nobody_at_all')).toContain('not_found');
    expectRefusal(await succeed(), 429);
  });

  test('is not refused because the platform fails', async () => {
    const { succeed } = await caller();
    for (let i = 0; i < 8; i++) {
      await service.addFault({ kind: 'status', status: 500 }, { operation: 'getUsersByUsername' });
      expectRefusal(await succeed(), 502);
    }
    expect((await succeed()).status).toBe(200);
  });

  test('is refused if its own proxy fails', async () => {
    const { client, succeed } = await caller();
    const headers = { 'x-proxy': `http://${await deadPort()}` };
    for (let i = 0; i < 7; i++) expectRefusal(await client.get('/user/info', { userName: 'grace' }, headers), 502);
    expectRefusal(await succeed(), 429);
  });
});
