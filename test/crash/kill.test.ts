import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AccountAdmin } from '../../src/billing/account-admin.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import type { Demo } from '../../src/demo/demo.ts';
import { openStore } from '../../src/open-store.ts';
import { systemRuntime } from '../../src/runtime/runtime.ts';
import type { Store } from '../../src/store/port.ts';
import { Client } from '../support/client.ts';
import { type PosternProcess, startPostern } from '../support/process.ts';

const kills = Number(process.env['KILLS'] ?? 100);
const price = 1_000;

let dataDir: string;
let config: Config;
let store: Store;
let account: string;
let key: string;

/** What the callers saw, over all lives of the service. */
const seen = { acknowledged: 0, unknown: 0, refused: 0 };
const acknowledgedTweets = new Set<string>();

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'postern-kill-'));
  config = readConfig({ DATA_DIR: dataDir });
  store = await openStore(config, systemRuntime);
  const admin = new AccountAdmin(store, systemRuntime);
  account = await admin.createAccount('Crash', 1_000_000_000);
  key = (await admin.createKey(account, 'Key')).key.expose();
});
afterAll(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

async function startGateway(): Promise<{ gateway: PosternProcess; demo: Demo }> {
  const gateway = startPostern(['serve'], { DATA_DIR: dataDir, PORT: '0', SANDBOX_PORT: '0' });
  await gateway.printed(/listening on/);
  return { gateway, demo: JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) };
}

/** Money adds up: SPEC.md's price, nothing made and nothing lost, whatever moment it is. */
async function checkInvariants(): Promise<void> {
  const balance = await store.ledger.balance(account);
  const usage = await store.ledger.usage(account, 0, Number.MAX_SAFE_INTEGER);
  const payments = await store.ledger.payments(account, 100);
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
  expect(balance).not.toBeNull();
  const { paid = 0, avail = 0, held = 0, charged = 0 } = balance ?? {};
  expect(paid).toBe(avail + held + charged);
  expect(charged).toBe(sum(usage.map((line) => line.micros)));
  expect(paid).toBe(sum(payments.map((payment) => payment.micros)));
  expect(avail).toBeGreaterThanOrEqual(0);
}

/** Calls of every kind, one after the other, until the service is gone. */
async function callUntilKilled(client: Client, name: string): Promise<void> {
  for (let i = 0; ; i++) {
    const text = `${name} wrote number ${i}`;
    const call = [
      () => client.post('/tweet/create', { text }),
      () => client.get('/tweet/advanced_search', { q: 'from:grace', count: '5' }),
      () => client.post('/tweet/favorite', { tweet_id: '1' }),
      () => client.get('/user/info', { userName: 'grace' }),
    ][i % 4];
    const answer = await call?.().catch(() => null);
    if (!answer || answer.status >= 500) seen.unknown += 1;
    else if (answer.status >= 400) seen.refused += 1;
    else {
      seen.acknowledged += 1;
      if (i % 4 === 0) acknowledgedTweets.add(text);
    }
    if (!answer) return;
  }
}

describe(`a service killed ${kills} times at random points`, () => {
  test('charges what it acknowledged, and no more than what callers cannot know', { timeout: 600_000 }, async () => {
    for (let round = 0; round < kills; round++) {
      const { gateway, demo } = await startGateway();
      const client = new Client({ baseUrl: demo.baseUrl, key, authToken: demo.accounts[0]?.authToken ?? '' });
      const callers = Array.from({ length: 8 }, (_, i) => callUntilKilled(client, `Round ${round} caller ${i}`));
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 250));
      await gateway.end('SIGKILL');
      await Promise.all(callers);
      await checkInvariants();
    }
    const { charged = 0 } = (await store.ledger.balance(account)) ?? {};
    process.stdout.write(`${kills} kills: ${JSON.stringify(seen)}, charged for ${charged / price}\n`);
    expect(seen.acknowledged).toBeGreaterThan(kills);
    expect(charged).toBeGreaterThanOrEqual(seen.acknowledged * price);
    expect(charged).toBeLessThanOrEqual((seen.acknowledged + seen.unknown) * price);
  });

  test('has kept all it acknowledged, each tweet once, and holds nothing 30 s later', { timeout: 60_000 }, async () => {
    const { gateway, demo } = await startGateway();
    const [ada] = demo.accounts;
    const response = await fetch(`${demo.sandboxUrl}/control/tweets?author=${ada?.userId}`);
    const { tweets } = (await response.json()) as { tweets: { text: string }[] };
    const texts = tweets.map(({ text }) => text);
    expect(new Set(texts).size).toBe(texts.length);
    expect([...acknowledgedTweets].filter((text) => !texts.includes(text))).toEqual([]);

    const restartedAt = Date.now();
    let held = Number.POSITIVE_INFINITY;
    while (held > 0 && Date.now() - restartedAt < 30_000) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      held = (await store.ledger.balance(account))?.held ?? held;
    }
    expect(held).toBe(0);
    await checkInvariants();
    expect(await gateway.end('SIGTERM')).toBe(0);
  });
});
