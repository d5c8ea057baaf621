import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { service, sandbox, ada: caller, graphql, newCaller } = await useService({ MAX_CONCURRENT_REQUESTS: '3' });

const other = (await newCaller()).client;
// The first request loads GraphQL.
await graphql.ask('{ __typename }');

const slow = (times: number) =>
  service.addFault({ kind: 'latency', ms: 3_000 }, { operation: 'getUsersByUsername', times });
const limit = /^This API key has reached its limit of concurrent requests \(3 at present\)/;
/** Resolves when the platform has received this many requests of the operation. */
const received = (operation: string, count: number) =>
  expect.poll(() => sandbox.requests(operation), { interval: 10 }).toBe(count);

describe('concurrent requests of one API key', () => {
  test('above the limit are refused, by REST and by GraphQL, and no others', async () => {
    const before = await sandbox.requests('getUsersByUsername');
    await slow(3);
    const running = [
      caller.get('/user/info', { userName: 'grace' }),
      caller.get('/user/info', { userName: 'ada' }),
      graphql.ask('{ user(userName: "linus") { name } }'),
    ];
    await received('getUsersByUsername', before + 3);
    const refused = await caller.get('/account');
    expectRefusal(refused, 429, limit);
    expect(refused.headers.get('retry-after')).toBe('1');
    const answer = await graphql.ask('{ account { id } }');
    expect(answer.status).toBe(429);
    const extensions = { code: 'RATE_LIMITED' };
    expect(answer.errors[0]).toMatchObject({ message: expect.stringMatching(limit), extensions });
    expect((await other.get('/account')).status).toBe(200);
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await caller.get('/account')).status).toBe(200);
  });

  test('do not include open streams', async () => {
    const abort = new AbortController();
    const { headers } = caller;
    const open = () => fetch(`${service.demo.baseUrl}/events`, { headers, signal: abort.signal });
    const subscribe = () =>
      fetch(`${service.origin}/graphql`, {
        method: 'POST',
        signal: abort.signal,
        headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify({ query: 'subscription { events { id } }' }),
      });
    const streams = [];
    for (const start of [open, subscribe, open, subscribe, open]) streams.push(await start());
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await caller.get('/account')).status).toBe(200);
    abort.abort();
  });

  test('include writes whose callers have hung up, until they have ended', async () => {
    const before = await sandbox.requests('likePost');
    await service.addFault({ kind: 'latency', ms: 3_000 }, { operation: 'likePost', times: 3 });
    const hangUp = new AbortController();
    for (let i = 0; i < 3; i++) {
      fetch(`${caller.options.baseUrl}/tweet/favorite`, {
        method: 'POST',
        signal: hangUp.signal,
        headers: { ...caller.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ tweet_id: `${i + 1}` }),
      }).catch(() => {});
    }
    await received('likePost', before + 3);
    hangUp.abort();
    await expect.poll(() => service.log.filter((line) => line.includes('hung_up')).length).toBeGreaterThanOrEqual(3);
    expectRefusal(await caller.get('/account'), 429, limit);
    await expect.poll(async () => (await caller.get('/account')).status, { interval: 200 }).toBe(200);
  });
});
