import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { Feed } from './feed.ts';
import { type Account, fieldOf, type Json, type OpenSandbox, openSandbox } from './harness.ts';

const DAY_MS = 86_400_000;
const ids = (events: Json[]): string[] => events.map(({ id }) => id);

let clock = Date.UTC(2026, 4, 20, 12);
const open = (dataDir: string | null = null) => openSandbox({ now: () => clock, dataDir });
const sandbox = await open();
const happen = async (to: Account, count = 1, type = 'follow', at: OpenSandbox = sandbox): Promise<Json[]> =>
  (await at.control('events', { type, userName: to.userName, count })).body.events;

describe('a feed', () => {
  let feed: Feed;
  beforeEach(async () => {
    feed = new Feed(sandbox, await sandbox.mint());
    await feed.read();
  });

  test('without a cursor begins at the end: it has later events and no earlier ones', async () => {
    await happen(feed.account, 3);
    const { body } = await feed.page();
    expect(body).toEqual({ data: [], meta: { gap: false, next_token: expect.any(String) } });
    const [event] = await happen(feed.account);
    const next = (await feed.page({ pagination_token: body.meta.next_token })).body;
    expect(ids(next.data)).toEqual([event.id]);
  });

  test('returns every event once and in order at every page size, also while events are added', async () => {
    const made = await happen(feed.account, 40, 'mention');
    const from = feed.cursor;
    for (const count of [100, 40, 39, 7, 1]) {
      feed.cursor = from;
      expect(ids(await feed.read(count))).toEqual(ids(made));
    }
    feed.cursor = from;
    const found: Json[] = [];
    for (let page = 0; page < 8; page++) {
      const { body } = await feed.page({ pagination_token: feed.cursor ?? '', max_results: '6' });
      found.push(...body.data);
      feed.cursor = body.meta.next_token;
      made.push(...(await happen(feed.account)));
    }
    expect(ids([...found, ...(await feed.read())])).toEqual(ids(made));
  });

  test('returns a valid cursor with every page, also with an empty one', async () => {
    const cursors: string[] = [feed.cursor ?? ''];
    const made: Json[][] = [];
    for (let round = 0; round < 4; round++) {
      made.push(await happen(feed.account));
      await feed.read();
      cursors.push(feed.cursor ?? '');
      await happen(sandbox.grace);
      expect(await feed.read()).toEqual([]);
      cursors.push(feed.cursor ?? '');
    }
    for (const [index, cursor] of cursors.entries()) {
      feed.cursor = cursor;
      expect(ids(await feed.read())).toEqual(ids(made.slice(Math.ceil(index / 2)).flat()));
    }
  });

  test('refuses the cursors of other feeds and lists', async () => {
    const cursor = feed.cursor ?? '';
    const other = new Feed(sandbox, sandbox.ada);
    const replies = [
      ...(await Promise.all(['', 'AAAA', `${cursor}A`].map((bad) => feed.page({ pagination_token: bad })))),
      await other.page({ pagination_token: cursor }),
    ];
    for (const reply of replies) expect([reply.status, fieldOf(reply)]).toEqual([400, 'pagination_token']);
    for (const size of ['0', '101', 'x']) expect(fieldOf(await feed.page({ max_results: size }))).toBe('max_results');
    expect((await sandbox.call('GET', '/sandbox/activity')).body.reason).toBe('bad_token');
  });

  test('deletes events after seven days, and reports a gap only to readers that missed them', async () => {
    const [missed] = await happen(feed.account);
    const before = feed.cursor;
    feed.cursor = (await feed.page({ pagination_token: before ?? '' })).body.meta.next_token;
    const read = feed.cursor;
    clock += 3 * DAY_MS;
    const [kept] = await happen(feed.account);
    clock += 4 * DAY_MS - 1;
    feed.cursor = before;
    expect([ids(await feed.read()), feed.gap]).toEqual([[missed.id, kept.id], false]);
    clock += 1;
    const { body } = await feed.page({ pagination_token: before ?? '' });
    expect([ids(body.data), body.meta.gap]).toEqual([[kept.id], true]);
    expect((await feed.page({ pagination_token: body.meta.next_token })).body.meta.gap).toBe(false);
    expect((await feed.page({ pagination_token: read ?? '' })).body).toMatchObject({
      data: [{ id: kept.id }],
      meta: { gap: false },
    });
  });

  test('keeps the last 10,000 events', async () => {
    const made: Json[] = [];
    for (let round = 0; round < 6; round++) made.push(...(await happen(feed.account, 2_000)));
    const found = await feed.page({ pagination_token: feed.cursor ?? '' });
    expect(found.body.meta.gap).toBe(true);
    const rest = await feed.read();
    expect(feed.gap).toBe(false);
    expect(ids(rest)).toEqual(ids(made).slice(2_000));
  });
});

describe('after restarts and resets', () => {
  test('events keep their ids, cursors stay valid, and new events have later ids', async () => {
    const root = temporaryFolder();
    const first = await open(root);
    const account = await first.mint({ userName: 'lasting' });
    const before = new Feed(first, account);
    await first.tweet('Mine', account);
    await before.read();
    const from = before.cursor;
    for (const type of ['like', 'reply', 'quote', 'mention', 'retweet', 'follow']) {
      await happen(account, 5, type, first);
    }
    const events = await before.read();
    await first.close();

    // Setting the clock back must not repeat an id.
    clock -= 60_000;
    const second = await open(root);
    const after = new Feed(second, account);
    after.cursor = from;
    expect(await after.read()).toEqual(events);
    after.cursor = before.cursor;
    expect(await after.read()).toEqual([]);
    const [event] = await happen(account, 1, 'like', second);
    expect(await after.read()).toEqual([event]);
    expect(BigInt(event.id)).toBeGreaterThan(BigInt(events.at(-1).id));
  });

  test('a reset invalidates all cursors, and no id is used again, also after a restart', async () => {
    const root = temporaryFolder();
    const first = await open(root);
    const before = new Feed(first, first.ada);
    await before.read();
    const [old] = await happen(first.ada, 1, 'like', first);
    await first.control('reset');
    expect(fieldOf(await before.page({ pagination_token: before.cursor ?? '' }))).toBe('pagination_token');
    await first.close();

    const second = await open(root);
    expect((await new Feed(second, second.ada).page({ pagination_token: before.cursor ?? '' })).status).toBe(400);
    const after = new Feed(second, second.ada);
    expect(await after.read()).toEqual([]);
    const [event] = await happen(second.ada, 1, 'like', second);
    expect(await after.read()).toEqual([event]);
    expect(BigInt(event.id)).toBeGreaterThan(BigInt(old.id));
  });
});
