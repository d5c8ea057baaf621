import { describe, expect, test } from 'vitest';
import { type Account, type Json, openSandbox, type Reply } from './harness.ts';

const sandbox = await openSandbox();
// A user with long lists, created once for all tests.
const crowd: Account[] = (await sandbox.control('accounts', { count: 15, userName: 'crowd' })).body.accounts;
const root: string = (await sandbox.tweet('What do you all think?', sandbox.grace)).body.tweet.id;
for (const [index, as] of crowd.entries()) {
  await sandbox.call('PUT', '/api/users/by/grace/follow', { as });
  await sandbox.tweet(`Opinion ${index}`, as, { reply_to_id: root });
  await sandbox.tweet(`Quote ${index}`, as, { quote_of_id: root });
  await sandbox.call('PUT', `/api/tweets/${root}/retweet`, { as });
}
for (const as of crowd.slice(4)) await sandbox.call('PUT', `/api/users/${as.userId}/follow`, { as: sandbox.ada });
const { tweets } = (await sandbox.search({ q: 'from:grace', count: 40 })).body;
for (const { id } of tweets) await sandbox.call('PUT', `/api/tweets/${id}/bookmark`, { as: sandbox.ada });

async function pages(path: string, count: number, between: () => Promise<unknown> = async () => {}): Promise<Json[]> {
  const found: Json[] = [];
  let cursor: string | null = null;
  for (let page = 0; page === 0 || cursor !== null; page++) {
    const query = new URLSearchParams({ count: String(count), ...(cursor === null ? {} : { cursor }) });
    const { status, body }: Reply = await sandbox.get(`${path}?${query}`);
    expect(status).toBe(200);
    const items: Json[] = body.users ?? body.tweets;
    expect(body.next_cursor === null || items.length === count).toBe(true);
    expect(page === 0 || items.length > 0).toBe(true);
    found.push(...items);
    cursor = body.next_cursor;
    await between();
  }
  return found;
}

const ids = (items: Json[]): string[] => items.map((item) => item.id);
const user = async (name: string): Promise<Json> => (await sandbox.get(`/api/users/by/${name}`)).body.user;
let made = 0;

/** Each list with its documented length and the change that happens while it is read. */
const lists: [
  name: string,
  path: () => string,
  total: () => Promise<number | undefined>,
  arrive: () => Promise<Json>,
][] = [
  [
    'followers',
    () => '/api/users/by/grace/followers',
    async () => (await user('grace')).counts.followers,
    async () => sandbox.call('PUT', '/api/users/by/grace/follow', { as: await sandbox.mint() }),
  ],
  [
    'following',
    () => `/api/users/${sandbox.ada.userId}/following`,
    async () => (await user('ada')).counts.following,
    async () => sandbox.call('PUT', `/api/users/${(await sandbox.mint()).userId}/follow`, { as: sandbox.ada }),
  ],
  [
    'known followers',
    () => '/api/users/by/grace/known-followers',
    async () => {
      const followed = new Set(ids(await pages('/api/users/by/ada/following', 100)));
      return ids(await pages('/api/users/by/grace/followers', 100)).filter((id) => followed.has(id)).length;
    },
    async () => {
      const as = await sandbox.mint();
      await sandbox.call('PUT', `/api/users/${as.userId}/follow`, { as: sandbox.ada });
      return sandbox.call('PUT', '/api/users/by/grace/follow', { as });
    },
  ],
  ['affiliates', () => '/api/users/by/tidewater_labs/affiliates', async () => undefined, async () => {}],
  ['list members', () => `/api/lists/${sandbox.info.demo.listId}/members`, async () => undefined, async () => {}],
  [
    'tweets of a user',
    () => '/api/users/by/grace/tweets',
    async () => (await user('grace')).counts.tweets,
    async () => sandbox.tweet(`One more ${++made}`, sandbox.grace),
  ],
  [
    'replies',
    () => `/api/tweets/${root}/replies`,
    async () => (await sandbox.get(`/api/tweets/${root}`)).body.tweet.counts.replies,
    async () => sandbox.tweet(`One more reply ${++made}`, sandbox.ada, { reply_to_id: root }),
  ],
  [
    'quotes',
    () => `/api/tweets/${root}/quotes`,
    async () => (await sandbox.get(`/api/tweets/${root}`)).body.tweet.counts.quotes,
    async () => sandbox.tweet(`One more quote ${++made}`, sandbox.ada, { quote_of_id: root }),
  ],
  [
    'retweeters',
    () => `/api/tweets/${root}/retweeters`,
    async () => (await sandbox.get(`/api/tweets/${root}`)).body.tweet.counts.retweets,
    async () => sandbox.call('PUT', `/api/tweets/${root}/retweet`, { as: await sandbox.mint() }),
  ],
  ['home', () => '/api/home', async () => undefined, async () => sandbox.tweet(`News ${++made}`, sandbox.grace)],
  [
    'bookmarks',
    () => '/api/bookmarks',
    async () => undefined,
    async () => {
      const { id } = (await sandbox.tweet(`To keep ${++made}`, sandbox.grace)).body.tweet;
      return sandbox.call('PUT', `/api/tweets/${id}/bookmark`, { as: sandbox.ada });
    },
  ],
];

describe.each(lists)('%s', (_name, path, total, arrive) => {
  test('shows every item once at every page size, and as many as its counter', async () => {
    const all = ids(await pages(path(), 100));
    expect(all.length).toBeGreaterThan(3);
    expect(new Set(all).size).toBe(all.length);
    for (const count of [7, 1]) expect(ids(await pages(path(), count))).toEqual(all);
    const counted = await total();
    if (counted !== undefined) expect(all).toHaveLength(counted);
  });

  test('repeats and loses nothing while items arrive', async () => {
    const before = ids(await pages(path(), 100));
    expect(ids(await pages(path(), Math.min(100, Math.ceil(before.length / 6)), arrive))).toEqual(before);
  });

  test('has no cursor on a last page that is exactly full', async () => {
    const all = await pages(path(), 100);
    if (all.length > 100) return;
    expect((await sandbox.get(`${path()}?count=${all.length}`)).body.next_cursor).toBeNull();
    expect((await sandbox.get(`${path()}?count=${all.length - 1}`)).body.next_cursor).not.toBeNull();
  });

  test('refuses cursors that are not its own', async () => {
    const { next_cursor: cursor } = (await sandbox.get(`${path()}?count=2`)).body;
    const flipped = `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`;
    const other = path() === '/api/home' ? '/api/bookmarks' : '/api/home';
    const replies = [
      ...(await Promise.all([flipped, `${cursor}A`, '', 'AAAA'].map((bad) => sandbox.get(`${path()}?cursor=${bad}`)))),
      await sandbox.get(`${other}?cursor=${cursor}`),
      await sandbox.get(`${path()}?cursor=${cursor}`, sandbox.grace),
    ];
    for (const { status, body } of replies) expect([status, body.problem?.code]).toEqual([400, 'bad_cursor']);
    for (const count of ['0', '101', 'x']) {
      expect((await sandbox.get(`${path()}?count=${count}`)).body.problem.field).toBe('count');
    }
  });
});

test('a cursor is valid for one user only, by id and by name', async () => {
  const { next_cursor: cursor } = (await sandbox.get('/api/users/by/grace/followers?count=2')).body;
  expect((await sandbox.get(`/api/users/by/ada/followers?cursor=${cursor}`)).body.problem.code).toBe('bad_cursor');
  expect((await sandbox.get(`/api/users/by/grace/following?cursor=${cursor}`)).body.problem.code).toBe('bad_cursor');
  expect((await sandbox.get(`/api/users/${sandbox.grace.userId}/followers?cursor=${cursor}`)).status).toBe(200);
});

test('an item that is removed between pages does not hide other items', async () => {
  const path = '/api/users/by/grace/followers';
  const before = ids(await pages(path, 100));
  const leaving = crowd.slice(0, 5);
  let turn = 0;
  const during = await pages(path, 4, async () => {
    const as = leaving[turn++];
    if (as !== undefined) await sandbox.call('DELETE', '/api/users/by/grace/follow', { as });
  });
  const left = new Set(leaving.map((account) => account.userId));
  expect(ids(during).filter((id) => !left.has(id))).toEqual(before.filter((id) => !left.has(id)));
  expect(ids(await pages(path, 100))).toEqual(before.filter((id) => !left.has(id)));
});

test('home keeps its order if the reader follows a user between pages', async () => {
  const before = ids(await pages('/api/home', 100));
  let turn = 0;
  const during = await pages('/api/home', 25, async () => {
    const next = ['citytrams', 'tidewater_labs'][turn++ % 2];
    await sandbox.call(turn % 4 < 2 ? 'PUT' : 'DELETE', `/api/users/by/${next}/follow`, { as: sandbox.ada });
  });
  expect(ids(during)).toEqual(before);
});

test('home begins with tweets of followed authors, and is not empty for readers who follow nobody', async () => {
  const { id } = (await sandbox.tweet('Fresh from the press', sandbox.grace)).body.tweet;
  const { body } = await sandbox.get('/api/home?count=30');
  expect(body.viewer_id).toBe(sandbox.ada.userId);
  expect(ids(body.tweets)).toContain(id);
  const stranger = (await sandbox.get('/api/home', await sandbox.mint())).body;
  expect(stranger.tweets.length).toBe(20);
  expect(ids(stranger.tweets)).not.toContain(id);
});

test('known followers are the intersection of the two full lists, for twenty pairs', async () => {
  const names = ids((await sandbox.get('/api/users/by/ada/followers?count=100')).body.users);
  const followed = new Set(ids(await pages('/api/users/by/ada/following', 100)));
  let pairs = 0;
  for (const id of names.slice(0, 40)) {
    if ((await sandbox.get(`/api/users/${id}/followers`)).status === 403) continue;
    const followers = ids(await pages(`/api/users/${id}/followers`, 100));
    expect(ids(await pages(`/api/users/${id}/known-followers`, 7))).toEqual(
      followers.filter((one) => followed.has(one)),
    );
    if (++pairs === 20) break;
  }
  expect(pairs).toBe(20);
});
