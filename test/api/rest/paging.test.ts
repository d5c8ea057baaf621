import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '../../support/client.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
let ada: Client;

beforeAll(async () => {
  service = await startService();
  const { key } = await service.makeAccount('100');
  ada = new Client({ baseUrl: service.demo.baseUrl, key, authToken: service.demo.accounts[0]?.authToken ?? '' });
  const found = await ada.get('/tweet/advanced_search', { q: 'from:grace', count: '30' });
  for (const { id } of found.body.data['tweets'] as { id: string }[]) {
    expect((await ada.post('/tweet/bookmark', { tweet_id: id })).status).toBe(200);
  }
  for (const { path, input } of lists) await fillIn(path, input);
});
afterAll(() => service.stop());

interface List {
  method: 'GET' | 'POST';
  path: string;
  items: string;
  input: Record<string, string>;
}

const lists: List[] = [
  { method: 'GET', path: '/tweet/advanced_search', items: 'tweets', input: { q: 'from:grace' } },
  { method: 'GET', path: '/tweet/advanced_search', items: 'tweets', input: { q: 'coffee', product: 'Top' } },
  { method: 'GET', path: '/user/tweets_and_replies', items: 'tweets', input: { userName: 'grace' } },
  { method: 'GET', path: '/user/followers', items: 'followers', input: { userName: 'grace' } },
  { method: 'GET', path: '/user/following', items: 'following', input: { userName: 'grace' } },
  { method: 'GET', path: '/user/bookmarks', items: 'tweets', input: {} },
  { method: 'GET', path: '/tweet/replies', items: 'tweets', input: { tweet_id: '' } },
  { method: 'GET', path: '/tweet/quotes', items: 'tweets', input: { tweet_id: '' } },
  { method: 'GET', path: '/user/articles_tweets', items: 'tweets', input: { userId: '' } },
  { method: 'GET', path: '/user/affiliates', items: 'affiliates', input: { userName: 'tidewater_labs' } },
  { method: 'GET', path: '/list/members', items: 'members', input: { listId: '' } },
  { method: 'POST', path: '/user/home_timeline', items: 'tweets', input: {} },
  { method: 'POST', path: '/user/followers_you_know', items: 'followers_you_know', input: { user_name: 'grace' } },
];

/** What only this world knows: a list, a tweet with replies or quotes, somebody with articles. */
async function fillIn(path: string, input: Record<string, string>): Promise<void> {
  if (input['listId'] === '') input['listId'] = service.demo.listId;
  if (input['tweet_id'] === '') {
    input['tweet_id'] = String((await ada.post('/tweet/create', { text: `Count with me in ${path}` })).body.data['id']);
    for (let i = 1; i <= 12; i++) {
      const about = path === '/tweet/quotes' ? 'quote_tweet_id' : 'reply_to_tweet_id';
      await ada.post('/tweet/create', { text: `Number ${i} in ${path}`, [about]: input['tweet_id'] });
    }
  }
  if (input['userId'] === '') {
    const known = await ada.get('/user/following', { userName: 'ada', count: '100' });
    for (const { id } of known.body.data['following'] as { id: string }[]) {
      const articles = await ada.get(path, { userId: id });
      if (articles.status === 200 && Number(articles.body.data['tweet_count']) > 0) {
        input['userId'] = id;
        return;
      }
    }
    throw new Error('nobody whom ada follows has written an article');
  }
}

async function onePage({ method, path, input }: List, count: number, cursor: string | null) {
  const more = cursor === null ? {} : { cursor };
  const answer =
    method === 'GET'
      ? await ada.get(path, { ...input, ...more, count: String(count) })
      : await ada.post(path, { ...input, ...more, count });
  expect(answer.status, answer.body.error ?? '').toBe(200);
  return answer.body.data;
}

/** Every id of the list, page by page. `between` runs after each page. */
async function allIds(list: List, count: number, between: () => Promise<unknown> = async () => {}): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Record<string, unknown> = await onePage(list, count, cursor);
    const items = page[list.items] as { id: string }[];
    expect(items.length).toBeLessThanOrEqual(count);
    expect(page['tweet_count'] ?? page['user_count']).toBe(items.length);
    ids.push(...items.map(({ id }) => id));
    cursor = page['next_cursor'] as string | null;
    expect(page['has_more']).toBe(cursor !== null);
    await between();
  } while (cursor !== null);
  return ids;
}

describe.each(lists)('$method $path $input', (list) => {
  test('returns every item once at any page size, and ends', { timeout: 120_000 }, async () => {
    const whole = await allIds(list, 100);
    expect(whole.length).toBeGreaterThan(0);
    expect(new Set(whole).size).toBe(whole.length);
    expect(await allIds(list, 7)).toEqual(whole);
    expect(await allIds(list, 1)).toEqual(whole);
  });

  test('repeats and loses nothing while tweets arrive between pages', { timeout: 60_000 }, async () => {
    const before = await allIds(list, 100);
    let written = 0;
    const write = () => ada.post('/tweet/create', { text: `coffee ${list.path} ${++written} ${Math.random()}` });
    const during = await allIds(list, Math.max(7, Math.ceil(before.length / 20)), write);
    expect(written).toBeGreaterThan(0);
    expect(new Set(during).size).toBe(during.length);
    expect(during.filter((id) => before.includes(id))).toEqual(before);
  });
});

test('the lists agree with the counts of the profile', async () => {
  const profile = (await ada.get('/user/info', { userName: 'grace' })).body.data;
  const count = async (path: string, items: string) =>
    (await allIds({ method: 'GET', path, items, input: { userName: 'grace' } }, 100)).length;
  expect(await count('/user/followers', 'followers')).toBe(profile['followers']);
  expect(await count('/user/following', 'following')).toBe(profile['following']);
  expect(await count('/user/tweets_and_replies', 'tweets')).toBe(profile['statusesCount']);
});

test('the followers one knows are those of both full lists, for twenty users', { timeout: 60_000 }, async () => {
  const mine = new Set(await allIds({ ...list('following'), input: { userName: 'ada' } }, 100));
  const targets = (await onePage({ ...list('followers'), input: { userName: 'grace' } }, 20, null))['followers'];
  expect((targets as unknown[]).length).toBe(20);
  for (const { id } of targets as { id: string }[]) {
    const theirs = await ada.get('/user/followers', { userId: id, count: '1' });
    if (theirs.status === 403) continue;
    const followers = await allIds({ ...list('followers'), input: { userId: id } }, 100);
    const known = await allIds(
      { method: 'POST', path: '/user/followers_you_know', items: 'followers_you_know', input: { user_id: id } },
      100,
    );
    expect(new Set(known)).toEqual(new Set(followers.filter((follower) => mine.has(follower))));
  }
});

function list(items: 'followers' | 'following'): List {
  return { method: 'GET', path: `/user/${items}`, items, input: {} };
}
