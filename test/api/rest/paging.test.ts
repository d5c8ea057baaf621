import { describe, expect, test } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import { actions } from '../../../src/actions/registry.ts';
import { advancedSearch } from '../../../src/actions/tweet/advanced-search.ts';
import { followersYouKnow } from '../../../src/actions/user/followers-you-know.ts';
import { followers, following, tweetsAndReplies } from '../../../src/actions/user/user-lists.ts';
import { isAll, repetitions } from '../../support/repetitions.ts';
import { useService } from '../../support/use-service.ts';

const compared = repetitions(5, 20);

interface List {
  action: Action;
  input: Record<string, unknown>;
}

const isList = ({ name, paged }: Action) => paged === true && /^(tweet|user|list)\//.test(name);
const inputOf = ({ example: { count: _count, ...input } }: Action) => input;

/** All lists of tweets and users. The search is included in both orders. */
const lists: List[] = [
  ...actions.filter(isList).map((action) => ({ action, input: inputOf(action) })),
  { action: advancedSearch, input: { q: 'coffee', product: 'Top' } },
];

const { service, sandbox, ada } = await useService({}, { dollars: '100' });
const { userName } = service.demo.accounts[0];
const found = await ada.get('/tweet/advanced_search', { q: 'from:grace', count: '30' });
for (const { id } of found.body.data['tweets'] as { id: string }[]) {
  expect((await ada.post('/tweet/bookmark', { tweet_id: id })).status).toBe(200);
}
const made = await ada.post('/tweet/create', { text: 'Count with me' });
const tweetId = String(made.body.data['id']);
for (const type of ['reply', 'quote', 'retweet', 'like'])
  await sandbox.makeEvents({ type, userName, tweetId, count: 12 });
for (const { input } of lists) {
  if ('tweet_id' in input) input['tweet_id'] = tweetId;
  if ('listId' in input) input['listId'] = service.demo.listId;
}

async function onePage({ action, input }: List, count: number, cursor: string | null) {
  const answer = await ada.call(action, { ...input, count, ...(cursor !== null && { cursor }) });
  expect(answer.status, answer.body.error ?? '').toBe(200);
  return answer.body.data;
}

/** Returns the only array of a page, whose name differs between lists. */
const itemsOf = (page: Record<string, unknown>) => Object.values(page).find(Array.isArray) as { id: string }[];

/** Reads all ids of a list page by page. `between` runs after each page. */
async function allIds(list: List, count: number, between: () => Promise<unknown> = async () => {}): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Record<string, unknown> = await onePage(list, count, cursor);
    const items = itemsOf(page);
    expect(items.length).toBeLessThanOrEqual(count);
    expect(page['tweet_count'] ?? page['user_count']).toBe(items.length);
    ids.push(...items.map(({ id }) => id));
    cursor = page['next_cursor'] as string | null;
    expect(page['has_more']).toBe(cursor !== null);
    await between();
  } while (cursor !== null);
  return ids;
}

describe.each(lists)('$action.name $input', (list) => {
  test('returns every item once at any page size, and ends', async () => {
    const whole = await allIds(list, 100);
    expect(whole.length).toBeGreaterThan(0);
    expect(new Set(whole).size).toBe(whole.length);
    expect(await allIds(list, 7)).toEqual(whole);
    expect(await allIds(list, isAll ? 1 : 5)).toEqual(whole);
  });

  test('repeats and loses nothing while tweets arrive between pages', async () => {
    const before = await allIds(list, 100);
    let written = 0;
    const write = async () => {
      const text = `coffee ${list.action.name} ${++written} ${Math.random()}`;
      await Promise.all([ada.post('/tweet/create', { text }), sandbox.makeEvents({ type: 'mention', userName })]);
    };
    const during = await allIds(list, Math.max(4, Math.ceil(before.length / 20)), write);
    expect(written).toBeGreaterThan(0);
    expect(new Set(during).size).toBe(during.length);
    expect(during.filter((id) => before.includes(id))).toEqual(before);
  });
});

test('the lists agree with the counts of the profile', async () => {
  const profile = (await ada.get('/user/info', { userName: 'grace' })).body.data;
  const count = async (action: Action) => (await allIds({ action, input: { userName: 'grace' } }, 100)).length;
  expect(await count(followers)).toBe(profile['followers']);
  expect(await count(following)).toBe(profile['following']);
  expect(await count(tweetsAndReplies)).toBe(profile['statusesCount']);
});

test(`known followers are the intersection of both full lists, for ${compared} users`, async () => {
  const mine = new Set(await allIds({ action: following, input: { userName: 'ada' } }, 100));
  const targets = itemsOf(await onePage({ action: followers, input: { userName: 'grace' } }, compared, null));
  expect(targets).toHaveLength(compared);
  for (const { id } of targets) {
    const theirs = await ada.get('/user/followers', { userId: id, count: '1' });
    if (theirs.status === 403) continue;
    const all = await allIds({ action: followers, input: { userId: id } }, 100);
    const known = await allIds({ action: followersYouKnow, input: { user_id: id } }, 100);
    expect(new Set(known)).toEqual(new Set(all.filter((follower) => mine.has(follower))));
  }
});
