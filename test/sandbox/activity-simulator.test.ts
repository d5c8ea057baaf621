import { beforeEach, describe, expect, test } from 'vitest';
import { weightedLength } from '../../src/sandbox/dataset/tweet-text.ts';
import { Feed } from './feed.ts';
import { type Account, type Json, type OpenSandbox, openSandbox } from './harness.ts';

const START = Date.UTC(2026, 4, 20, 12);
let clock: number;
let pending: { at: number; run: () => void } | undefined;
let cancelled: number;
let sandbox: OpenSandbox;

/** The simulator and the test share a clock that only the test advances. */
const schedule = (delayMs: number, run: () => void) => {
  expect(pending).toBeUndefined();
  const timer = { at: clock + delayMs, run };
  pending = timer;
  return () => {
    cancelled++;
    if (pending === timer) pending = undefined;
  };
};

async function open(activity: boolean): Promise<void> {
  clock = START;
  pending = undefined;
  cancelled = 0;
  sandbox = await openSandbox({ now: () => clock, schedule, activity });
}

/** Advances the clock. */
function pass(ms: number): void {
  const end = clock + ms;
  while (pending !== undefined && pending.at <= end) {
    const { at, run } = pending;
    clock = at;
    pending = undefined;
    run();
  }
  clock = end;
}

/** Polls every ten seconds and returns the events of this time. */
async function watch(account: Account, seconds: number): Promise<Json[]> {
  const feed = new Feed(sandbox, account);
  const events = await feed.read();
  for (let passed = 0; passed < seconds; passed += 10) {
    pass(10_000);
    events.push(...(await feed.read()));
  }
  return events;
}

describe('the activity simulator', async () => {
  let start: number;
  await open(true);
  // The simulator acts on an account for one minute after its last poll. After two minutes no account of an earlier test is active.
  beforeEach(() => {
    pass(120_000);
    start = clock;
  });

  test('a polled demo account gets an event every few seconds, the first one within two seconds', async () => {
    const feed = new Feed(sandbox, sandbox.ada);
    await feed.read();
    pass(2_000);
    expect(await feed.read()).toHaveLength(1);
    const events = await watch(sandbox.ada, 1_800);
    expect(events.length).toBeGreaterThan(1_800 / 6);
    expect(events.length).toBeLessThan(1_800 / 2);
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(['like', 'reply', 'retweet', 'follow', 'mention', 'quote']),
    );
    const times = events.map(({ created_at }) => Date.parse(created_at));
    for (const [index, time] of times.entries()) {
      if (index > 0) expect(time - (times[index - 1] ?? 0)).toBeLessThanOrEqual(6_000);
    }
  });

  test('events come from users of the dataset, have well-formed texts, and are not listed as tweets of calls', async () => {
    const demo = [sandbox.ada, sandbox.grace, sandbox.linus].map(({ userId }) => userId);
    const events = await watch(sandbox.grace, 1_200);
    expect(events.filter(({ actor }) => demo.includes(actor.id))).toEqual([]);
    const said = events.filter(({ type }) => ['reply', 'mention', 'quote'].includes(type));
    const texts: string[] = said.map(({ tweet }) => tweet.text);
    // As on the platform, no user posts the same text twice.
    expect(new Set(said.map(({ actor, tweet }) => `${actor.id} ${tweet.text}`)).size).toBe(texts.length);
    expect(texts.filter((text) => weightedLength(text) > 280 || /[{}]|undefined| {2}/.test(text))).toEqual([]);
    expect((await sandbox.call('GET', '/control/tweets')).body.tweets).toEqual([]);
    const [reply] = said.filter(({ type }) => type === 'reply');
    expect((await sandbox.post(reply.tweet.id)).in_reply_to_user_id).toBe(sandbox.grace.userId);
  });

  test('no event happens before the first poll or more than a minute after the last one', async () => {
    pass(3_600_000);
    expect(pending).toBeUndefined();
    const feed = new Feed(sandbox, sandbox.ada);
    await feed.read();
    pass(3_600_000);
    const events = await feed.read();
    expect(Math.max(...events.map(({ created_at }) => Date.parse(created_at)))).toBeLessThan(start + 3_660_000);
    expect(events.length).toBeGreaterThan(9);
    expect(await watch(sandbox.ada, 60)).not.toEqual([]);
  });

  test('a protected account is never retweeted', async () => {
    const events = await watch(sandbox.linus, 900);
    expect(events.length).toBeGreaterThan(100);
    expect(events.some(({ type }) => type === 'like')).toBe(true);
    expect(events.some(({ type }) => type === 'retweet')).toBe(false);
  });

  test('accounts that are not polled, or that are not demo accounts, get no events', async () => {
    expect(await watch(await sandbox.mint(), 120)).toEqual([]);
    expect(pending).toBeUndefined();
    const grace = new Feed(sandbox, sandbox.grace);
    await grace.read();
    expect((await watch(sandbox.ada, 300)).length).toBeGreaterThan(40);
    const times = (await grace.read()).map(({ created_at }) => Date.parse(created_at));
    expect(times.length).toBeGreaterThan(1);
    expect(Math.max(...times)).toBeLessThan(start + 120_000 + 60_000);
  });

  test('continues after a reset', async () => {
    await new Feed(sandbox, sandbox.ada).read();
    await sandbox.control('reset');
    expect((await watch(sandbox.ada, 60)).length).toBeGreaterThan(9);
  });

  test('continues for an account without tweets', async () => {
    for (;;) {
      const tweets = await sandbox.search('from:linus', sandbox.linus);
      if (tweets.length === 0) break;
      for (const { id } of tweets) await sandbox.remove(id, sandbox.linus);
    }
    const events = await watch(sandbox.linus, 600);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['mention', 'follow']));
  });

  test('ends with the sandbox', async () => {
    await new Feed(sandbox, sandbox.ada).read();
    expect(pending).toBeDefined();
    await sandbox.close();
    expect([pending, cancelled]).toEqual([undefined, 1]);
  });
});

test('without the activity simulator a polled account gets no events', async () => {
  await open(false);
  expect(await watch(sandbox.ada, 600)).toEqual([]);
  expect(pending).toBeUndefined();
});

test('the same polls of the same dataset return the same events', async () => {
  const runs: Json[][] = [];
  for (let run = 0; run < 2; run++) {
    await open(true);
    runs.push(await watch(sandbox.ada, 300));
    await sandbox.close();
  }
  expect(runs[0]?.length).toBeGreaterThan(40);
  expect(runs[1]).toEqual(runs[0]);
});
