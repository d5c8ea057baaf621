import { afterEach, expect, test, vi } from 'vitest';
import { SandboxSession } from '../../../src/platform/sandbox/session.ts';
import type { Client } from '../../support/client.ts';
import { expectQuick } from '../../support/processor-time.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

// The service loads it at the first request (test/support/service.ts).
import '../../../src/api/mcp/http.ts';

const limit = 16 * 1024 * 1024;
const dear = 0.001;
let client: Client;

const { service, newCaller } = await useService();
afterEach(() => vi.restoreAllMocks());

/** Makes the platform return this number of tweets, each with this text. */
async function searchReturns(tweets: number, text: string) {
  vi.restoreAllMocks();
  ({ client } = await newCaller());
  const { body } = await client.get('/tweet/advanced_search', { q: 'loom', count: '1' });
  const [found] = body.data['tweets'] as object[];
  const tweet = { ...found, text };
  const page = { items: Array.from({ length: tweets }, () => tweet), cursor: null } as never;
  vi.spyOn(SandboxSession.prototype, 'searchTweets').mockResolvedValue(page);
}

const search = () => client.get('/tweet/advanced_search', { q: 'loom' });
const balance = async () => Number((await client.get('/account/balance')).body.data['balance']);

function callTool() {
  const params = { name: 'tweet_advanced_search', arguments: { q: 'loom', full: true } };
  const accept = 'application/json, text/event-stream';
  return fetch(`${service.origin}/mcp`, {
    method: 'POST',
    headers: { ...client.headers, 'content-type': 'application/json', accept },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
}

test('REST returns and charges a response of nearly 16 MiB', async () => {
  await searchReturns(16, 'x'.repeat(limit / 16 - 5_000));
  const answer = await search();
  expect(answer.status).toBe(200);
  expect(answer.body.data['tweets']).toHaveLength(16);
  expect(await balance()).toBeCloseTo(1 - 2 * dear);
});

test('REST refuses a longer response with 502 before it is written, and does not charge it', async () => {
  await searchReturns(100, 'x'.repeat(4_600_000));
  const before = await balance();
  const answer = await search();
  expectRefusal(answer, 502, /^The platform sent too much: the response has more than 16777216 bytes/);
  expect(answer.headers.get('x-error-code')).toBe('platform_unavailable');
  expect(await balance()).toBe(before);
  await expectQuick(1_500, search);
});

test('REST says that a write was performed whose response is too long', async () => {
  await searchReturns(1, '');
  const created = { id: '1', text: 'x'.repeat(limit), createdAt: '', pendingModeration: false, communityId: null };
  vi.spyOn(SandboxSession.prototype, 'createTweet').mockResolvedValue(created);
  const answer = await client.post('/tweet/create', { text: 'A loom' });
  expectRefusal(answer, 502, /The call was performed$/);
});

test('MCP shortens what REST refuses to less than 1 MiB, and charges it', async () => {
  await searchReturns(100, 'x'.repeat(4_600_000));
  const before = await balance();
  const text = await (await callTool()).text();
  expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024);
  expect(text).toContain('items of tweets are left out');
  expect(await balance()).not.toBe(before);
});

test('MCP returns less than 1 MiB, although it returns data twice, as text and as structuredContent', async () => {
  for (const letter of ['x', '"', '\u0001', '€', '\\']) {
    await searchReturns(20, letter.repeat(100_000));
    const text = await (await callTool()).text();
    expect(text).toContain('structuredContent');
    expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024);
  }
});
