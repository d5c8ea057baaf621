import { describe, expect, test } from 'vitest';
import { type Account, type Json, openSandbox, type Reply } from '../harness.ts';

const sandbox = await openSandbox();
// A user with long lists, created once for all tests.
const crowd: Account[] = (await sandbox.control('accounts', { count: 15, userName: 'crowd' })).body.accounts;
const root: string = (await sandbox.tweet('What do you all think?', sandbox.grace)).body.data.id;
for (const [index, as] of crowd.entries()) {
  await sandbox.set('following', sandbox.grace.userId, as);
  await sandbox.tweet(`Opinion ${index}`, as, { replyTo: root });
  await sandbox.tweet(`Quote ${index}`, as, { quoteOf: root });
  await sandbox.set('retweets', root, as);
}
for (const as of crowd.slice(4)) await sandbox.set('following', as.userId, sandbox.ada);
for (const { id } of (await sandbox.search('from:grace')).slice(0, 40)) await sandbox.set('bookmarks', id, sandbox.ada);

const { ada, grace } = sandbox;
const fields = 'user.fields=public_metrics';

async function pages(path: string, count: number, between: () => Promise<unknown> = async () => {}): Promise<Json[]> {
  const found: Json[] = [];
  let next: string | undefined;
  for (let page = 0; page === 0 || next !== undefined; page++) {
    const query = new URLSearchParams({
      max_results: String(count),
      ...(next === undefined ? {} : { pagination_token: next }),
    });
    const { status, body }: Reply = await sandbox.x(`${path}?${query}`);
    const { data: items = [], meta } = body;
    expect([status, meta.result_count]).toEqual([200, items.length]);
    expect(meta.next_token === undefined || items.length === count).toBe(true);
    expect(page === 0 || items.length > 0).toBe(true);
    found.push(...items);
    next = meta.next_token;
    await between();
  }
  return found;
}

const ids = (items: Json[]): string[] => items.map((item) => item.id);
const countsOf = async (path: string): Promise<Json> =>
  (await sandbox.x(`${path}?${path.includes('tweets') ? 'post.fields=public_metrics' : fields}`)).body.data
    .public_metrics;
const ofGrace = `/2/users/${grace.userId}`;
const ofAda = `/2/users/${ada.userId}`;
const ofRoot = `/2/tweets/${root}`;
const [organization] = (await sandbox.x('/2/users/by?usernames=tidewater_labs')).body.data;
const home = '/sandbox/home';
let made = 0;

/** Each list with the least page size, its counter, and the change that happens while it is read. */
const lists: [
  name: string,
  path: string,
  least: number,
  total: (() => Promise<number>) | undefined,
  arrive: () => Promise<unknown>,
][] = [
  [
    'followers',
    `${ofGrace}/followers`,
    1,
    async () => (await countsOf(ofGrace)).followers_count,
    async () => sandbox.set('following', sandbox.grace.userId, await sandbox.mint()),
  ],
  [
    'following',
    `${ofAda}/following`,
    1,
    async () => (await countsOf(ofAda)).following_count,
    async () => sandbox.set('following', (await sandbox.mint()).userId, ada),
  ],
  [
    'followers you know',
    `/sandbox/users/${grace.userId}/followers_you_know`,
    1,
    async () => {
      const followed = new Set(ids(await pages(`${ofAda}/following`, 100)));
      return ids(await pages(`${ofGrace}/followers`, 100)).filter((id) => followed.has(id)).length;
    },
    async () => {
      const as = await sandbox.mint();
      await sandbox.set('following', as.userId, ada);
      return sandbox.set('following', sandbox.grace.userId, as);
    },
  ],
  ['affiliates', `/2/users/${organization.id}/affiliates`, 1, undefined, async () => {}],
  ['list members', `/2/lists/${sandbox.info.demo.listId}/members`, 1, undefined, async () => {}],
  [
    'tweets of a user',
    `${ofGrace}/tweets`,
    5,
    async () => (await countsOf(ofGrace)).post_count,
    async () => sandbox.tweet(`One more ${++made}`, grace),
  ],
  [
    'quotes',
    `${ofRoot}/quote_tweets`,
    10,
    async () => (await countsOf(ofRoot)).quote_count,
    async () => sandbox.tweet(`One more quote ${++made}`, ada, { quoteOf: root }),
  ],
  [
    'reposters',
    `${ofRoot}/retweeted_by`,
    1,
    async () => (await countsOf(ofRoot)).repost_count,
    async () => sandbox.set('retweets', root, await sandbox.mint()),
  ],
  ['home', home, 1, undefined, async () => sandbox.tweet(`News ${++made}`, grace)],
  [
    'bookmarks',
    `${ofAda}/bookmarks`,
    1,
    undefined,
    async () => {
      const { id } = (await sandbox.tweet(`To keep ${++made}`, grace)).body.data;
      return sandbox.set('bookmarks', id, ada);
    },
  ],
];

describe.each(lists)('%s', (_name, path, least, total, arrive) => {
  test('shows every item once at every page size, and as many as its counter', async () => {
    const all = ids(await pages(path, 100));
    expect(all.length).toBeGreaterThan(3);
    expect(new Set(all).size).toBe(all.length);
    for (const count of [Math.max(7, least), least]) expect(ids(await pages(path, count))).toEqual(all);
    if (total !== undefined) expect(all).toHaveLength(await total());
  });

  test('repeats and loses nothing while items arrive', async () => {
    const before = ids(await pages(path, 100));
    const count = Math.min(100, Math.max(least, Math.ceil(before.length / 6)));
    expect(ids(await pages(path, count, arrive))).toEqual(before);
  });

  test('has no token on a last page that is exactly full', async () => {
    const { length } = await pages(path, 100);
    if (length > 100) return;
    expect((await sandbox.x(`${path}?max_results=${length}`)).body.meta.next_token).toBeUndefined();
    expect((await sandbox.x(`${path}?max_results=${length - 1}`)).body.meta.next_token).toBeDefined();
  });

  test('refuses tokens that are not its own, and wrong sizes, with 400', async () => {
    const { next_token: token } = (await sandbox.x(`${path}?max_results=${least}`)).body.meta;
    const flipped = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
    const other = path === home ? `${ofAda}/bookmarks` : home;
    const replies = [
      ...(await Promise.all(
        [flipped, `${token}A`, '', 'AAAA'].map((bad) => sandbox.x(`${path}?pagination_token=${bad}`)),
      )),
      await sandbox.x(`${other}?pagination_token=${token}`),
      await sandbox.x(`${path}?pagination_token=${token}`, grace),
    ];
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 400));
    for (const size of [String(least - 1), '1001', 'x']) {
      expect((await sandbox.x(`${path}?max_results=${size}`)).status).toBe(400);
    }
  });
});

test('an item that is removed between pages does not hide other items', async () => {
  const path = `${ofGrace}/followers`;
  const before = ids(await pages(path, 100));
  const leaving = crowd.slice(0, 5);
  let turn = 0;
  const during = await pages(path, 4, async () => {
    const as = leaving[turn++];
    if (as !== undefined) await sandbox.clear('following', sandbox.grace.userId, as);
  });
  const left = new Set(leaving.map((account) => account.userId));
  expect(ids(during).filter((id) => !left.has(id))).toEqual(before.filter((id) => !left.has(id)));
  expect(ids(await pages(path, 100))).toEqual(before.filter((id) => !left.has(id)));
});

test('home keeps its order if the reader follows a user between pages', async () => {
  const before = ids(await pages(home, 100));
  const authors = [await sandbox.user('citytrams'), await sandbox.user('tidewater_labs')];
  let turn = 0;
  const during = await pages(home, 25, async () => {
    const { id } = authors[turn++ % 2];
    await sandbox[turn % 4 < 2 ? 'set' : 'clear']('following', id, ada);
  });
  expect(ids(during)).toEqual(before);
});

test('home begins with tweets of followed authors, and is not empty for readers who follow nobody', async () => {
  const { id } = (await sandbox.tweet('Fresh from the press', grace)).body.data;
  const { body } = await sandbox.x(`${home}?max_results=30`);
  expect(body.meta.viewer_id).toBe(ada.userId);
  expect(ids(body.data)).toContain(id);
  const stranger = (await sandbox.x(home, await sandbox.mint())).body;
  expect(stranger.data.length).toBe(20);
  expect(ids(stranger.data)).not.toContain(id);
});
