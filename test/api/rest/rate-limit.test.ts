import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '../../support/client.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ RATE_LIMIT: '5' });
});
afterAll(() => service.stop());

async function caller(): Promise<Client> {
  const { key } = await service.makeAccount('1');
  return new Client({ baseUrl: service.demo.baseUrl, key, authToken: service.demo.accounts[0]?.authToken ?? '' });
}

describe('a key that may make five calls a minute', () => {
  test('makes five calls, gets the remaining number with each, and is refused the sixth', async () => {
    const client = await caller();
    for (const remaining of ['4', '3', '2', '1', '0']) {
      const answer = await client.get('/account/balance');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('ratelimit-limit')).toBe('5');
      expect(answer.headers.get('ratelimit-policy')).toBe('5;w=60');
      expect(answer.headers.get('ratelimit-remaining')).toBe(remaining);
      expect(Number(answer.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
    }
    const refused = await client.get('/account/balance');
    expectRefusal(refused, 429, 'This API key may make at most 5 calls per minute. Wait before the next call');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(8);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(12);
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  });

  test('is refused before its input is looked at, and no other key with it', async () => {
    const client = await caller();
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.get('/user/info')));
    expect(answers.map(({ status }) => status).sort()).toEqual([400, 400, 400, 400, 400, 429]);
    expect((await (await caller()).get('/account/balance')).status).toBe(200);
  });
});

test('without a valid key nothing is counted', async () => {
  const answer = await new Client({ baseUrl: service.demo.baseUrl }).get('/account/balance');
  expectRefusal(answer, 401);
  expect(answer.headers.get('ratelimit-limit')).toBeNull();
});

test('a limit of 0 is none', async () => {
  const open = await startService({ RATE_LIMIT: '0' });
  const { key } = await open.makeAccount('1');
  const client = new Client({ baseUrl: open.demo.baseUrl, key });
  for (let i = 0; i < 20; i++) {
    const answer = await client.get('/account/balance');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('ratelimit-limit')).toBeNull();
  }
  await open.stop();
});
