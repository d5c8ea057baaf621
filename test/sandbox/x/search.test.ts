import { describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { openX } from './x-client.ts';

const { x, wrong, extended, all, tweet, control, ada, grace, linus, appToken, info } = await openX();

const everything = (query: string, token = ada.authToken): Promise<Json[]> => {
  const fields =
    'post.fields=entities,lang,public_metrics,conversation_id,attachments&expansions=author_id,referenced_posts,in_reply_to_user_id';
  return all(`/2/tweets/search/all?max_results=500&${fields}&query=${encodeURIComponent(query)}`, token, true);
};
const has = (text: string, word: string) => new RegExp(`(?<![\\w'])${word}(?![\\w'])`, 'i').test(text);
const typesOf = ({ referenced_posts: references = [] }: Json): string[] => references.map(({ type }: Json) => type);
const [author] = (await x('/2/users/by/username/grace?user.fields=public_metrics')).body.data.id;

describe('operators', () => {
  const dataset = everything('min_likes:0');

  test.each<[string, (post: Json) => boolean]>([
    ['coffee', ({ text }) => has(text, 'coffee')],
    ['COFFEE -cold', ({ text }) => has(text, 'coffee') && !has(text, 'cold')],
    ['"the night train"', ({ text }) => has(text, 'the night train')],
    ['espresso OR tea', ({ text }) => has(text, 'espresso') || has(text, 'tea')],
    ['☕', ({ text }) => text.includes('☕')],
    ['#coffee', ({ entities }) => entities?.hashtags?.some(({ tag }: Json) => tag.toLowerCase() === 'coffee') === true],
    ['$ACME', ({ entities }) => entities?.cashtags?.some(({ tag }: Json) => tag === 'ACME') === true],
    ['@ada', ({ entities }) => entities?.mentions?.some(({ username }: Json) => username === 'ada') === true],
    ['to:grace', (post) => post.in_reply_to_user_id === grace.userId],
    ['from:grace', (post) => post.author_id === grace.userId],
    ['has:media', (post) => post.attachments !== undefined],
    ['has:links', (post) => post.entities?.urls?.some(({ media_key: key }: Json) => key === undefined) === true],
    ['has:hashtags', (post) => post.entities?.hashtags !== undefined],
    ['has:mentions', (post) => post.entities?.mentions !== undefined],
    ['is:reply', (post) => typesOf(post).includes('replied_to')],
    ['is:quote', (post) => typesOf(post).includes('quoted')],
    ['-is:reply -is:quote', (post) => typesOf(post).length === 0],
    ['lang:ja OR lang:zh', ({ lang }) => lang === 'ja' || lang === 'zh'],
    ['is:retweet', () => false],
    ['min_likes:20', (post) => post.public_metrics.like_count >= 20],
    [
      'min_reposts:5 (has:media OR is:reply)',
      (post) =>
        post.public_metrics.repost_count >= 5 &&
        (post.attachments !== undefined || typesOf(post).includes('replied_to')),
    ],
    ['min_replies:3', (post) => post.public_metrics.reply_count >= 3],
  ])('%s finds the posts that it describes', async (query, describes) => {
    const found = await everything(query);
    const expected = (await dataset).filter(describes).map(({ id }) => id);
    expect(found.map(({ id }) => id)).toEqual(expected);
    expect(expected.length > 0).toBe(query !== 'is:retweet');
  });

  test('finds a conversation, the replies to a post and the posts of a list', async () => {
    const [reply] = (await dataset).filter((post) => typesOf(post).includes('replied_to'));
    const repliedTo = reply.referenced_posts.find(({ type }: Json) => type === 'replied_to').id;
    const inConversation = await everything(`conversation_id:${reply.conversation_id}`);
    expect(inConversation.map(({ id }) => id)).toContain(reply.id);
    const replies = await everything(`in_reply_to_tweet_id:${repliedTo}`);
    expect(replies.map(({ id }) => id)).toContain(reply.id);
    const members = await all(`/2/lists/${info.demo.listId}/members`);
    const authors = new Set((await everything(`list:${info.demo.listId}`)).map((post) => post.author_id));
    expect(authors.size).toBeGreaterThan(5);
    expect(members.map(({ id }) => id)).toEqual(expect.arrayContaining([...authors]));
    const links = await everything('url:"https://smallshelf.example/reviews"');
    expect(links.length).toBeGreaterThan(0);
  });

  test('finds protected posts only for followers', async () => {
    expect(await everything('from:linus')).toEqual([]);
    expect(await everything('from:linus', appToken)).toEqual([]);
    expect((await everything('from:linus', linus.authToken)).length).toBeGreaterThan(10);
  });
});

describe('recent search', () => {
  const refused = async (query: Record<string, string>) => {
    const { status, body } = await wrong(`/2/tweets/search/recent?${new URLSearchParams(query)}`);
    return [status, ...Object.keys(body.errors?.[0].parameters ?? {})];
  };
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

  test.each<[string, Record<string, string>, string]>([
    ['no query', {}, 'query'],
    ['a query of restrictions', { query: 'lang:en has:media -coffee' }, 'query'],
    ['an alternative of restrictions', { query: 'coffee OR has:media' }, 'query'],
    ['a long query', { query: 'coffee '.repeat(74) }, 'query'],
    ['an unknown operator', { query: 'coffee near:Porto' }, 'query'],
    ['an old start', { query: 'coffee', start_time: daysAgo(8) }, 'start_time'],
    ['an old end', { query: 'coffee', end_time: daysAgo(8) }, 'end_time'],
    ['a future end', { query: 'coffee', end_time: daysAgo(-1) }, 'end_time'],
    ['a start after the end', { query: 'coffee', start_time: daysAgo(1), end_time: daysAgo(2) }, 'start_time'],
    ['a small page', { query: 'coffee', max_results: '9' }, 'max_results'],
    ['an unknown order', { query: 'coffee', sort_order: 'best' }, 'sort_order'],
    ['a foreign token', { query: 'coffee', next_token: 'AAAAAAAAAAAAAAAAAAAAAAAA' }, 'next_token'],
  ])('refuses %s with 400', async (_name, query, parameter) => {
    expect(await refused(query)).toEqual([400, parameter]);
  });

  test('finds the posts of the last seven days, newest first', async () => {
    const found = await all('/2/tweets/search/recent?max_results=100&query=coffee%20-is:reply&post.fields=created_at');
    const whole = (await everything('coffee -is:reply')).map(({ id }) => id);
    const ids = found.map(({ id }) => id);
    expect(ids).toEqual(whole.slice(0, ids.length));
    expect(whole.length).toBeGreaterThan(ids.length);
    for (const { created_at: at } of found) expect(Date.parse(at)).toBeGreaterThan(Date.now() - 7 * 86_400_000);
  });

  test('pages neither repeat nor skip posts while others arrive', async () => {
    for (const order of ['recency', 'relevancy']) {
      const path = `/2/tweets/search/recent?max_results=10&query=coffee&sort_order=${order}`;
      const before = (await all(path)).map(({ id }) => id);
      const during: string[] = [];
      let next = '';
      do {
        const { data = [], meta } = (await x(path + next)).body;
        during.push(...data.map(({ id }: Json) => id));
        next = meta.next_token === undefined ? '' : `&next_token=${meta.next_token}`;
        await tweet(`More coffee ${order} ${during.length}`, grace);
      } while (next !== '');
      expect(during).toEqual(before);
    }
  });

  test('limits posts by time and by id', async () => {
    const path = '/2/tweets/search/recent?max_results=100&query=coffee&post.fields=created_at';
    const found = (await all(path)).filter(({ created_at: at }) => Date.parse(at) < Date.now() - 60_000);
    const [from, to] = [found[5], found[2]];
    const ids = found.slice(2, 6).map(({ id }) => id);
    const range = `&start_time=${from.created_at}&end_time=${found[1].created_at}`;
    expect((await all(path + range)).map(({ id }) => id)).toEqual(ids);
    const byId = await all(`${path}&since_id=${from.id}&until_id=${to.id}`);
    expect(byId.map(({ id }) => id)).toEqual(ids.slice(1, -1));
  });
});

describe('user search', () => {
  test('finds users by words, and refuses other characters without the extensions', async () => {
    const { data } = (await x('/2/users/search?query=ada')).body;
    expect(data[0].username).toBe('ada');
    const path = `/2/users/search?query=${encodeURIComponent('佐藤')}`;
    expect((await wrong(path)).status).toBe(400);
    expect((await extended(path)).body.data.map(({ username }: Json) => username)).toContain('hana_sato');
  });
});

test('a fault without an operation spares look-ups', async () => {
  await control('faults', { fault: { kind: 'status', status: 503 } });
  expect((await x('/2/users/me')).status).toBe(200);
  expect((await x('/2/users/by/username/grace')).status).toBe(200);
  expect((await wrong(`/2/users/${author}`)).body).toMatchObject({ status: 503, type: 'about:blank' });
  await control('faults', { fault: { kind: 'rate_limit', retry_after: 30 }, operation: 'getUsersMe' });
  const { status, headers } = await wrong('/2/users/me');
  expect([status, headers.get('x-rate-limit-remaining')]).toEqual([429, '0']);
});
