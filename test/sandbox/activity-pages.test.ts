import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Feed } from './feed.ts';
import { type Account, type Json, type OpenSandbox, openSandbox } from './harness.ts';

const DAY_MS = 86_400_000;
const ids = (events: Json[]): string[] => events.map(({ id }) => id);

let sandbox: OpenSandbox;
let clock = Date.UTC(2026, 4, 20, 12);
const open = (dataDir: string | null = null) =>
  openSandbox({ now: () => clock, ...(dataDir === null ? {} : { dataDir }) });
const happen = async (to: Account, count = 1, type = 'follow', at: OpenSandbox = sandbox): Promise<Json[]> =>
  (await at.control('events', { type, userName: to.userName, count })).body.events;

describe('a feed', () => {
  let feed: Feed;
  beforeAll(async () => {
    sandbox = await open();
  });
  afterAll(() => sandbox.close());
  beforeEach(async () => {
    feed = new Feed(sandbox, await sandbox.mint());
    await feed.read();
  });

  it('without a cursor is at its end: what happened before is not in it, what happens after is', async () => {
    await happen(feed.account, 3);
    const { body } = await feed.page();
    expect(body).toEqual({ events: [], gap: false, next_cursor: expect.any(String) });
    const [event] = await happen(feed.account);
    const next = (await feed.page({ cursor: body.next_cursor })).body;
    expect(ids(next.events)).toEqual([event.id]);
  });

  it('tells every event once, in order, at every size of page, while more arrive', async () => {
    const made = await happen(feed.account, 40, 'mention');
    const from = feed.cursor;
    for (const count of [100, 40, 39, 7, 1]) {
      feed.cursor = from;
      expect(ids(await feed.read(count))).toEqual(ids(made));
    }
    feed.cursor = from;
    const found: Json[] = [];
    for (let page = 0; page < 8; page++) {
      const { body } = await feed.page({ cursor: feed.cursor ?? '', count: '6' });
      found.push(...body.events);
      feed.cursor = body.next_cursor;
      made.push(...(await happen(feed.account)));
    }
    expect(ids([...found, ...(await feed.read())])).toEqual(ids(made));
  });

  it('gives a cursor with every page, also an empty one, and each of them holds on', async () => {
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

  it('refuses cursors that are not its own', async () => {
    const cursor = feed.cursor ?? '';
    const other = new Feed(sandbox, sandbox.ada);
    const list = (await sandbox.get('/api/bookmarks?count=1', feed.account)).body.next_cursor ?? 'AAAA';
    const replies = [
      ...(await Promise.all(['', 'AAAA', `${cursor}A`, list].map((bad) => feed.page({ cursor: bad })))),
      await other.page({ cursor }),
      await sandbox.get(`/api/home?cursor=${cursor}`, feed.account),
    ];
    for (const { status, body } of replies) expect([status, body.problem?.code]).toEqual([400, 'bad_cursor']);
    for (const count of ['0', '101', 'x']) expect((await feed.page({ count })).body.problem.field).toBe('count');
    expect((await sandbox.call('GET', '/api/activity')).body.problem.code).toBe('bad_token');
  });

  it('forgets what is older than seven days, and says so to whom it matters', async () => {
    const [missed] = await happen(feed.account);
    const before = feed.cursor;
    feed.cursor = (await feed.page({ cursor: before ?? '' })).body.next_cursor;
    const read = feed.cursor;
    clock += 3 * DAY_MS;
    const [kept] = await happen(feed.account);
    clock += 4 * DAY_MS - 1;
    feed.cursor = before;
    expect([ids(await feed.read()), feed.gap]).toEqual([[missed.id, kept.id], false]);
    clock += 1;
    const { body } = await feed.page({ cursor: before ?? '' });
    expect([ids(body.events), body.gap]).toEqual([[kept.id], true]);
    expect((await feed.page({ cursor: body.next_cursor })).body.gap).toBe(false);
    expect((await feed.page({ cursor: read ?? '' })).body).toMatchObject({ events: [{ id: kept.id }], gap: false });
  });

  it('keeps the last 10,000 events', async () => {
    const made: Json[] = [];
    for (let round = 0; round < 6; round++) made.push(...(await happen(feed.account, 2_000)));
    const found = await feed.page({ cursor: feed.cursor ?? '' });
    expect(found.body.gap).toBe(true);
    const rest = await feed.read();
    expect(feed.gap).toBe(false);
    expect(ids(rest)).toEqual(ids(made).slice(2_000));
  });
});

describe('over restarts and resets', { timeout: 60_000 }, () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sandbox-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('events keep their ids and cursors hold, and new events come after all of them', async () => {
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

    // A clock that went back in between must not bring back an id.
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
    await second.close();
  });

  it('a reset ends all cursors, and no id comes again after it, not even after a restart', async () => {
    const first = await open(root);
    const before = new Feed(first, first.ada);
    await before.read();
    const [old] = await happen(first.ada, 1, 'like', first);
    await first.control('reset');
    expect((await before.page({ cursor: before.cursor ?? '' })).body.problem.code).toBe('bad_cursor');
    await first.close();

    const second = await open(root);
    expect((await new Feed(second, second.ada).page({ cursor: before.cursor ?? '' })).status).toBe(400);
    const after = new Feed(second, second.ada);
    expect(await after.read()).toEqual([]);
    const [event] = await happen(second.ada, 1, 'like', second);
    expect(await after.read()).toEqual([event]);
    expect(BigInt(event.id)).toBeGreaterThan(BigInt(old.id));
    await second.close();
  });
});
