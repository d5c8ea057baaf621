import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { afterAll, describe, expect, test } from 'vitest';
import { type Answer, Client } from '../support/client.ts';
import { startFleet } from '../support/fleet.ts';
import { restingBalance } from '../support/refusal.ts';
import { repetitions } from '../support/repetitions.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { until } from '../support/until.ts';
import { useMongo } from '../support/use-mongo.ts';

const calls = repetitions(200, 2_000);
const affordable = calls * 0.6;
const price = 1_000;

const mongo = await useMongo();
describe.each(mongo.isMissing ? ['sqlite'] : ['sqlite', 'mongodb'])('two gateways on one %s store', async (kind) => {
  // A slow machine may take long to respond.
  const agent = new Agent({ connections: 100, headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0 } });
  afterAll(() => agent.destroy());
  const env = { PLATFORM_TIMEOUT_MS: '600000' };
  const url = mongo.url(`postern-${randomBytes(6).toString('hex')}`);
  const fleet = await startFleet(kind === 'mongodb' ? url : null);
  const sandbox = new SandboxControl(fleet.sandboxUrl);
  const gateways = [await fleet.start(env), await fleet.start(env)];
  const { key } = await fleet.newKey(1_000_000);
  const { authToken } = await sandbox.mint();
  const clients = gateways.map(({ demo }) => new Client({ baseUrl: demo.baseUrl, key, authToken }));
  const client = clients[0] as Client;

  test(`perform exactly ${affordable} of ${calls} concurrent calls if the credit is enough for ${affordable}, each with another remainder`, async () => {
    const { account, key } = await fleet.newKey(affordable * price);
    const balance = () => fleet.store.ledger.balance(account);
    const call = async (number: number) => {
      const demo = gateways[number % 2]?.demo;
      const { statusCode, headers, body } = await request(`${demo?.baseUrl}/user/info?userName=grace`, {
        dispatcher: agent,
        headers: { authorization: `Bearer ${key}`, 'x-auth-token': demo?.accounts[0].authToken },
      });
      await body.dump();
      return { number, status: statusCode, remaining: headers['x-credits-remaining'] };
    };
    const answers: Awaited<ReturnType<typeof call>>[] = [];
    let unavailable = 0;
    let numbers = Array.from({ length: calls }, (_, number) => number);
    for (;;) {
      const latest = await Promise.all(numbers.map(call));
      answers.push(...latest.filter(({ status }) => status !== 503));
      // On a slow machine the store may exceed its time limits. The gateway then returns 503. Such a call is sent again when no
      // reservation is left.
      numbers = latest.filter(({ status }) => status === 503).map(({ number }) => number);
      if (numbers.length === 0) break;
      unavailable += numbers.length;
      await until(async () => expect((await balance())?.held).toBe(0));
    }
    const succeeded = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(calls - succeeded.length);
    expect(succeeded.length).toBeLessThanOrEqual(affordable);
    // A call may be charged although its response was 503.
    expect(succeeded.length).toBeGreaterThanOrEqual(affordable - unavailable);
    expect(new Set(succeeded.map(({ remaining }) => remaining)).size).toBe(succeeded.length);
    const spent = { paid: affordable * price, charged: affordable * price, avail: 0, held: 0 };
    if (unavailable > 0) await until(async () => expect(await balance()).toEqual(spent));
    else expect(await balance()).toEqual(spent);
  });

  const post = (through: Client | undefined, key: string, text: string): Promise<Answer> =>
    (through as Client).post('/tweet/create', { text }, { 'idempotency-key': key });
  const timesPosted = async (text: string) => (await sandbox.tweets()).filter((posted) => posted === text).length;

  test('perform and charge 50 concurrent posts with one Idempotency-Key once', async () => {
    const before = Number(await restingBalance(client));
    const text = `Fifty at once on ${kind}`;
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => post(clients[i % 2], 'fifty', text)));
    const first = answers.find(({ headers }) => headers.get('x-credits-charged') !== null);
    for (const answer of answers) {
      expect([200, 409]).toContain(answer.status);
      if (answer.status === 200) expect(answer.body).toEqual(first?.body);
    }
    for (const each of clients) {
      const replayed = await post(each, 'fifty', text);
      expect(replayed.body).toEqual(first?.body);
      expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    }
    expect(await timesPosted(text)).toBe(1);
    expect(Number(await restingBalance(client))).toBeCloseTo(before - 0.001, 6);
  });

  test('share the rate limit of a key', async () => {
    // Each gateway learns about the other one at its next heartbeat.
    await until(async () => {
      const { account, key } = await fleet.newKey(price);
      await fleet.store.accounts.setRateLimit(account, 40);
      for (const each of clients) {
        const startedAt = performance.now();
        const asked = await Promise.all(Array.from({ length: 30 }, () => each.with({ key }).get('/account')));
        const refilled = Math.ceil((performance.now() - startedAt) / 3_000);
        const passed = asked.filter(({ status }) => status === 200).length;
        expect(passed).toBeGreaterThanOrEqual(20);
        expect(passed).toBeLessThanOrEqual(20 + refilled);
        expect(asked.filter(({ status }) => status === 429)).toHaveLength(30 - passed);
      }
    });
  });

  test('return the same tweet for a repeated post if one gateway was killed before it recorded the tweet', async () => {
    const before = Number(await restingBalance(client));
    const text = `Survivor on ${kind}`;
    await sandbox.setFault({ fault: { kind: 'hang_after' }, operation: 'createPosts' });
    const lost = post(clients[0], 'survivor', text).catch(() => null);
    await until(async () => expect(await timesPosted(text)).toBe(1));
    await gateways[0]?.process.end('SIGKILL');
    expect(await lost).toBeNull();
    expect((await post(clients[1], 'survivor', text)).status).toBe(409);
    const restarted = await fleet.start();
    const heir = client.with({ baseUrl: restarted.demo.baseUrl });
    let answer = await post(heir, 'survivor', text);
    while (answer.status === 409) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      answer = await post(heir, 'survivor', text);
    }
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-credits-charged')).toBe('0.001');
    expect(answer.body.data['text']).toBe(text);
    const replayed = await post(clients[1], 'survivor', text);
    expect(replayed.body).toEqual(answer.body);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(await timesPosted(text)).toBe(1);
    const charged = async () => before - Number(await restingBalance(heir));
    await until(async () => expect(await charged()).toBeCloseTo(0.001, 6));
  });
});
