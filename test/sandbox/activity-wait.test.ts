import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { Feed } from './feed.ts';
import { fieldOf, type Json, openSandbox, type Reply } from './harness.ts';

let hers: Feed;

const sandbox = await openSandbox();
beforeEach(async () => {
  await sandbox.control('faults/clear');
  hers = new Feed(sandbox, await sandbox.mint());
  await hers.read();
});

/** Returns a request that waits for much longer than the test runs. */
const wait = (feed = hers, waitMs = 60_000) =>
  feed.page({ pagination_token: feed.cursor ?? '', max_results: '100', wait_ms: String(waitMs) });
const happen = ({ account: { userName } }: Feed, count = 1) =>
  sandbox.control('events', { type: 'follow', userName, count });

/** Begins requests that wait, and resolves when all of them do. */
async function waiting(count = 1, feed = hers): Promise<Promise<Reply>[]> {
  const replies = Array.from({ length: count }, () => wait(feed));
  await untilWaiting(count, feed);
  return replies;
}

async function untilWaiting(count: number, { account }: Feed, at = sandbox): Promise<void> {
  const found = async () => (await at.call('GET', '/control/stats')).body.waiting[account.userId] ?? 0;
  while ((await found()) !== count) await sleep(5);
}

const typesOf = ({ body }: Reply): string[] => body.data.map(({ type }: Json) => type);

test('a waiting request returns the next event of its actor, and no events of others', async () => {
  const other = new Feed(sandbox, await sandbox.mint());
  const [reply] = await waiting();
  let answered = false;
  void reply?.then(() => {
    answered = true;
  });
  await happen(other);
  await sleep(50);
  expect(answered).toBe(false);
  await happen(hers);
  const said = (await reply) as Reply;
  expect(typesOf(said)).toEqual(['follow']);
  hers.cursor = said.body.meta.next_token;
  expect(await hers.read()).toEqual([]);
});

test('a request returns at once if there are events or if it has no cursor', async () => {
  await happen(hers, 3);
  expect(typesOf(await wait())).toEqual(['follow', 'follow', 'follow']);
  expect(typesOf(await hers.page({ wait_ms: '60000' }))).toEqual([]);
});

test('a request returns no events when wait_ms has passed', async () => {
  const startedAt = Date.now();
  expect(typesOf(await wait(hers, 200))).toEqual([]);
  expect(Date.now() - startedAt).toBeGreaterThan(150);
});

test('a direct message ends the waiting requests of both participants', async () => {
  const [ada, grace] = [new Feed(sandbox, sandbox.ada), new Feed(sandbox, sandbox.grace)];
  await Promise.all([ada.read(), grace.read()]);
  const replies = [...(await waiting(1, ada)), ...(await waiting(1, grace))];
  await sandbox.control('messages', { from: 'grace', to: 'ada', text: 'Hello' });
  for (const reply of replies) expect(typesOf(await reply)).toContain('chat');
});

test.each(['-1', '60001', '1.5', 'long', ''])('wait_ms %j is refused', async (text) => {
  const reply = await hers.page({ pagination_token: hers.cursor ?? '', wait_ms: text });
  expect([reply.status, fieldOf(reply)]).toEqual([400, 'wait_ms']);
});

test('an injected fault affects a waiting request, and no other request', async () => {
  const other = new Feed(sandbox, await sandbox.mint());
  await other.read();
  const [reply] = await waiting();
  const [others] = await waiting(1, other);
  await sandbox.fault({ kind: 'status', status: 503 }, { operation: 'activity', actor: hers.account.userId });
  expect((await reply)?.status).toBe(503);
  await happen(other);
  expect(typesOf((await others) as Reply)).toEqual(['follow']);
});

test('a request whose caller has disconnected uses up no fault', async () => {
  const gone = new AbortController();
  const request = fetch(`${sandbox.url}/sandbox/activity?pagination_token=${hers.cursor}&wait_ms=60000`, {
    headers: { authorization: `Bearer ${hers.account.authToken}` },
    signal: gone.signal,
  });
  await untilWaiting(1, hers);
  gone.abort();
  await expect(request).rejects.toThrow();
  await untilWaiting(0, hers);
  await sandbox.fault({ kind: 'status', status: 503 }, { operation: 'activity' });
  expect((await wait()).status).toBe(503);
});

test('of 33 requests for one feed, 32 wait', async () => {
  const replies = await waiting(32);
  expect(typesOf(await wait())).toEqual([]);
  await happen(hers);
  for (const reply of replies) expect(typesOf(await reply)).toEqual(['follow']);
});

test('a waiting request counts once for the rate limit', async () => {
  await sandbox.control('rate-limit', { limit: 1, window_seconds: 60 });
  const [reply] = await waiting();
  expect((await wait()).status).toBe(429);
  await happen(hers);
  expect(typesOf((await reply) as Reply)).toEqual(['follow']);
  await sandbox.control('rate-limit', { limit: null });
});

test('a reset refuses waiting requests, because their cursors are no longer valid', async () => {
  const ada = new Feed(sandbox, sandbox.ada);
  await ada.read();
  const replies = await waiting(1, ada);
  await sandbox.control('reset');
  for (const reply of replies) expect(fieldOf(await reply)).toBe('pagination_token');
});

test('a sandbox that stops responds to waiting requests', async () => {
  const own = await openSandbox();
  const feed = new Feed(own, own.ada);
  await feed.read();
  const reply = feed.page({ pagination_token: feed.cursor ?? '', wait_ms: '60000' });
  await untilWaiting(1, feed, own);
  await own.close();
  expect((await reply).status).toBe(200);
});
