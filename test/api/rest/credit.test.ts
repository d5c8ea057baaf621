import { describe, expect, test } from 'vitest';
import { actions } from '../../../src/actions/registry.ts';
import { parseDollars } from '../../../src/shared/model/money.ts';
import type { Answer, Client } from '../../support/client.ts';
import { expectRefusal, restingBalance } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { service, sandbox, newCaller } = await useService();

const many = <T>(count: number, call: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => call(i)));
const info = (client: Client) => client.get('/user/info', { userName: 'grace' });
const remaining = (answer: Answer) => answer.headers.get('x-credits-remaining') ?? '';
const micros = (text: unknown) => parseDollars(String(text)) ?? Number.NaN;

describe('parallel calls', () => {
  test('40 cost exactly 0.040 and show 40 different remainders', async () => {
    const { client } = await newCaller('1');
    const answers = await many(40, () => info(client));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-credits-charged')).toBe('0.001');
    }
    const expected = Array.from({ length: 40 }, (_, i) => 1_000_000 - (i + 1) * 1_000);
    expect(answers.map((answer) => micros(remaining(answer))).sort((a, b) => b - a)).toEqual(expected);
    expect((await client.get('/account/balance')).body.data).toEqual({ balance: '0.96', held: '0', currency: 'USD' });
  });

  test('with credit for 7 of 25, exactly 7 succeed and 18 are 402', async () => {
    const { client } = await newCaller('0.0079');
    const answers = await many(25, (i) => client.post('/tweet/create', { text: `Seven of 25: number ${i}` }));
    const done = answers.filter(({ status }) => status === 200);
    expect(done).toHaveLength(7);
    expect(new Set(done.map(remaining)).size).toBe(7);
    for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 402);
    expect(await restingBalance(client)).toBe('0.0009');
    const found = await client.with({ key: service.demo.apiKey }).get('/tweet/advanced_search', { q: '"Seven of 25"' });
    expect(found.body.data['tweet_count']).toBe(7);
  });

  test('that fail make room for others: the credit of a failed call can be spent at once', async () => {
    const { client } = await newCaller('0.001');
    for (let i = 0; i < 5; i++) {
      expectRefusal(await client.get('/user/info', { userName: 'nobody_here' }), 404);
      await restingBalance(client);
    }
    expect(remaining(await info(client))).toBe('0');
    expectRefusal(await info(client), 402);
  });

  test('that are refused do not change the balance after their responses', async () => {
    const { client } = await newCaller('0.01');
    for (let i = 0; i < 100; i++) {
      expectRefusal(await client.get('/tweet/detail', { tweet_id: '1' }), 404);
      expect((await client.get('/account/balance')).body.data).toMatchObject({ balance: '0.01', held: '0' });
    }
    expect((await client.get('/account')).body.data).toMatchObject({ balance: '0.01' });
  });

  test('of every kind add up, also if some fail', async () => {
    const { client } = await newCaller('0.05');
    const kinds = [
      () => info(client),
      () => client.get('/user/info', { userName: 'nobody_here' }),
      () => client.get('/tweet/advanced_search', { q: 'tea', count: '1' }),
      () => client.post('/tweet/favorite', { tweet_id: '12' }),
      () => client.with({ authToken: 'rejected' }).get('/user/info', { userName: 'ada' }),
      () => client.get('/tweet/advanced_search', { q: 'since:never' }),
    ];
    const answers = await many(90, (i) => kinds[i % 6]?.() ?? info(client));
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    for (const answer of answers)
      if (answer.status !== 200) expect(answer.headers.has('x-credits-charged')).toBe(false);
    expect(new Set(done.map(remaining)).size).toBe(done.length);
    expect(micros(await restingBalance(client))).toBe(50_000 - done.length * 1_000);
    const usage = (await client.get('/account/usage')).body.data;
    expect(usage['total']).toMatchObject({ calls: done.length });
  });

  test('use credit that is added while they wait', async () => {
    const { id, client } = await newCaller('0');
    expectRefusal(await info(client), 402);
    await service.credit(id, '0.002');
    expect((await info(client)).status).toBe(200);
    expect(remaining(await info(client))).toBe('0');
    expectRefusal(await info(client), 402);
  });

  test('of two accounts do not touch each other', async () => {
    const [{ client: one }, { client: two }] = [await newCaller('0.01'), await newCaller('0.01')];
    await Promise.all([many(10, () => info(one)), many(4, () => info(two))]);
    expect(await restingBalance(one)).toBe('0');
    expect(await restingBalance(two)).toBe('0.006');
  });
});

describe('a read', () => {
  const commits = async () => {
    const text = await (await fetch(`${service.origin}/metrics`)).text();
    return Number(/^postern_ledger_commits_total\{outcome="applied"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };

  test('needs one commit, and a write two', async () => {
    const { client } = await newCaller('1');
    await info(client);
    const before = await commits();
    await info(client);
    expect(await commits()).toBe(before + 1);
    await client.post('/tweet/create', { text: 'Two commits' });
    expect(await commits()).toBe(before + 3);
  });

  test('is refused with 402 and free if a write takes the credit while it runs', async () => {
    const { client } = await newCaller('0.002');
    await info(client);
    await service.addFault({ kind: 'latency', ms: 5_000 }, { operation: 'getUsersByUsername' });
    const before = await sandbox.requests('getUsersByUsername');
    const reading = info(client);
    await expect.poll(() => sandbox.requests('getUsersByUsername')).toBeGreaterThan(before);
    const held = (await client.get('/account/balance')).body.data['held'];
    const written = await client.post('/tweet/create', { text: 'The last credit' });
    const read = await reading;
    expect([held, written.status]).toEqual(['0', 200]);
    expectRefusal(read, 402);
    expect(read.headers.get('x-credits-charged')).toBeNull();
    expect(await restingBalance(client)).toBe('0');
    const usage = (await client.get('/account/usage')).body.data;
    expect(usage['total']).toMatchObject({ calls: 2, charged: '0.002' });
  });

  test('does not reach the platform beyond the credit of the reads that run', async () => {
    const { client } = await newCaller('0.003');
    await info(client);
    await service.addFault({ kind: 'latency', ms: 3_000 }, { times: null });
    const answers = await many(5, () => info(client));
    await sandbox.clearFaults();
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(3);
    expect(await restingBalance(client)).toBe('0');
  });
});

describe('account endpoints', () => {
  const paths = ['/account', '/account/balance', '/account/usage', '/account/payments'];

  test.each(paths)('%s is free, needs no auth_token, and is as documented', async (path) => {
    const client = (await newCaller('0')).client.with({ authToken: '' });
    const answer = await client.get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-credits-charged')).toBeNull();
    expect(answer.headers.get('x-credits-remaining')).toBeNull();
    const { output } = actions.find((action) => action.path === path) ?? {};
    expect(output?.parse(answer.body.data)).toEqual(answer.body.data);
    expect((await client.get(path, { auth_token: 'whatever' })).status).toBe(200);
  });

  test('/account lists the keys without their secrets', async () => {
    const { id, client } = await newCaller('2.5');
    const answer = await client.get('/account');
    expect(answer.body.data).toMatchObject({ id, name: 'Test', balance: '2.5', currency: 'USD' });
    const [key] = answer.body.data['api_keys'] as Record<string, unknown>[];
    expect(key).toMatchObject({ name: 'Test key', prefix: client.options.key?.slice(0, 11), revoked_at: null });
    expect(JSON.stringify(answer.body)).not.toContain(client.options.key);
    expect(Object.keys(key ?? {})).not.toContain('hash');
  });

  test('payments − charged = balance + held, and usage has the same sum by hour and by day', async () => {
    const { id, client } = await newCaller('0.02');
    await service.credit(id, '0.0305');
    await many(6, () => info(client));
    await many(3, () => client.get('/tweet/advanced_search', { q: 'tea', count: '1' }));
    await client.get('/user/info', { userName: 'nobody_here' });
    const balance = micros(await restingBalance(client));
    const payments = (await client.get('/account/payments')).body.data['payments'] as { amount: string }[];
    const paid = payments.reduce((sum, { amount }) => sum + micros(amount), 0);
    for (const granularity of ['hour', 'day']) {
      const { total, usage } = (await client.get('/account/usage', { granularity })).body.data as {
        total: { calls: number; charged: string };
        usage: { period: string; endpoint: string; calls: number; charged: string }[];
      };
      expect(total).toMatchObject({ calls: 9, charged: '0.009' });
      expect(paid - micros(total.charged)).toBe(balance);
      expect(usage.reduce((sum, { calls }) => sum + calls, 0)).toBe(9);
      expect(usage.reduce((sum, { charged }) => sum + micros(charged), 0)).toBe(9_000);
      const whole = granularity === 'day' ? /T00:00:00.000Z$/ : /:00:00.000Z$/;
      for (const { period } of usage) expect(period).toMatch(whole);
      expect(new Set(usage.map(({ endpoint }) => endpoint))).toEqual(new Set(['user/info', 'tweet/advanced_search']));
    }
  });

  test('usage keeps to from and to', async () => {
    const { client } = await newCaller('1');
    await info(client);
    const total = async (query: Record<string, string>) =>
      (await client.get('/account/usage', query)).body.data['total'];
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const one = { calls: 1, charged: '0.001' };
    const none = { calls: 0, charged: '0', platform_cost: '0' };
    expect(await total({})).toMatchObject(one);
    expect(await total({ from: at(-2), to: at(2) })).toMatchObject(one);
    expect(await total({ from: at(-5), to: at(-2) })).toEqual(none);
    expect(await total({ from: at(2), to: at(5) })).toEqual(none);
    expect(await total({ from: '2020-01-01', to: '2020-02-01' })).toEqual(none);
    expect(await total({ from: `${at(-30).slice(0, 19)}+02:00` })).toMatchObject(one);
    const answer = await client.get('/account/usage', { from: '2026-01-01', to: '2026-01-02T12:30:00+01:00' });
    expect(answer.body.data).toMatchObject({ from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T11:30:00.000Z' });
  });

  test('payments come newest first, each once, page by page', async () => {
    const { id, client } = await newCaller('0');
    // Several payments have the same millisecond.
    const ids = await many(23, (i) => service.credit(id, '0.01', `No. ${i}`));
    for (const count of ['1', '7', '23', '100']) {
      const seen: { id: string; created_at: string; amount: string }[] = [];
      for await (const page of client.pages('/account/payments', { count })) {
        const payments = page['payments'] as typeof seen;
        expect(payments.length).toBeLessThanOrEqual(Number(count));
        expect(page['has_more']).toBe(page['next_cursor'] !== null);
        seen.push(...payments);
      }
      expect(seen.map(({ id }) => id).sort()).toEqual([...ids].sort());
      const times = seen.map(({ created_at }) => created_at);
      expect(times).toEqual([...times].sort().reverse());
    }
    expect((await client.get('/account/payments')).body.data['payments']).toHaveLength(20);
  });
});
