import { afterEach, describe, expect, test } from 'vitest';
import { openSandbox } from './harness.ts';

let clock = Date.UTC(2026, 4, 20, 12);
const sandbox = await openSandbox({ now: () => clock });
afterEach(() => sandbox.control('rate-limit', { limit: null }));

const statuses = async (times: number, as = sandbox.ada): Promise<number[]> => {
  const found: number[] = [];
  for (let time = 0; time < times; time++) found.push((await sandbox.x(`/2/users/${as.userId}`, as)).status);
  return found;
};

describe('the rate limit', () => {
  test('is off by default', async () => {
    expect(new Set(await statuses(200))).toEqual(new Set([200]));
  });

  test('counts each actor separately, sends its state, and ends with its window', async () => {
    const set = await sandbox.control('rate-limit', { limit: 3, window_seconds: 60 });
    expect(set.body).toEqual({ limit: 3, window_seconds: 60 });
    expect(await statuses(4)).toEqual([200, 200, 200, 429]);
    expect(await statuses(4, sandbox.grace)).toEqual([200, 200, 200, 429]);
    clock += 18_500;
    const refused = await sandbox.tweet('Too much');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-rate-limit-reset')).toBe(String(Math.floor(clock / 1_000) + 42));
    expect(refused.body).toMatchObject({ title: 'Too Many Requests', status: 429 });
    expect((await sandbox.call('GET', '/control/tweets')).body.tweets).toEqual([]);
    expect((await sandbox.call('GET', '/2/users/me', { unchecked: true })).status).toBe(401);
    clock += 42_000;
    expect(await statuses(4)).toEqual([200, 200, 200, 429]);
  });

  test('does not use up a fault', async () => {
    await sandbox.control('rate-limit', { limit: 0 });
    await sandbox.fault({ kind: 'status', status: 503 });
    expect(await statuses(2)).toEqual([429, 429]);
    await sandbox.control('rate-limit', { limit: null });
    expect(await statuses(2)).toEqual([503, 200]);
  });

  test('is removed by a reset', async () => {
    await sandbox.control('rate-limit', { limit: 0, window_seconds: 5 });
    await sandbox.control('reset');
    expect(await statuses(2)).toEqual([200, 200]);
  });

  test.each([{}, { limit: -1 }, { limit: 1.5 }, { limit: '3' }, { limit: 3, window_seconds: 0 }])(
    'refuses %j',
    async (body) => {
      const reply = await sandbox.control('rate-limit', body);
      expect([reply.status, reply.body.reason]).toEqual([400, 'bad_request']);
    },
  );
});
