import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import { actions } from '../../../src/actions/registry.ts';
import { atprotoMissing } from '../../support/atproto-network.ts';
import type { Answer } from '../../support/client.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { until } from '../../support/until.ts';
import { type AtprotoFixture, type Person, startAtprotoFixture } from './world.ts';

type Data = Record<string, unknown>;

const size = 5;

/** The number of items in each list of tweets or users. */
const sizes: Readonly<Record<string, number>> = {
  'tweet/advanced_search': size,
  'tweet/replies': size,
  'tweet/quotes': size,
  // The author has retweeted the tweet, too.
  'tweet/retweeters': size + 1,
  'tweet/likers': size,
  'user/likes': size,
  'user/home_timeline': 3 * size,
  'user/mentions': size,
  'user/search': 1,
  'user/tweets_and_replies': size,
  'user/followers': size,
  'user/following': size,
  'user/followers_you_know': size,
  'user/bookmarks': size,
  'list/members': size,
};

describe.skipIf(atprotoMissing() !== null)('a list on the AT Protocol', () => {
  let fixture: AtprotoFixture;
  let star: Person;
  let lists: Readonly<Record<string, Data>>;

  const data = ({ body }: Answer): Data => {
    if (body.error !== null) throw new Error(body.error);
    return body.data;
  };
  const post = async (person: Person, path: string, body: Data) => data(await person.client.post(path, body));
  const tweet = async (person: Person, text: string, more: Data = {}) =>
    String((await post(person, '/tweet/create', { text, ...more }))['id']);
  const idsOf = (page: Data): string[] => {
    const items = Object.values(page).find(Array.isArray) as { id: string }[];
    return items.map(({ id }) => id);
  };
  const read = (action: Action, changes: Data = {}) => star.client.call(action, { ...lists[action.name], ...changes });

  beforeAll(async () => {
    fixture = await startAtprotoFixture();
    star = await fixture.join('star');
    const fans: Person[] = [];
    for (let i = 0; i < size; i += 1) fans.push(await fixture.join('fan'));
    const hub = await fixture.join('hub');
    const tweetId = await tweet(star, 'Discussed');
    const known = async () => data(await (fans[0] ?? star).client.get('/tweet/detail', { tweet_id: tweetId }));
    await until(known);
    for (let i = 1; i < size; i += 1) await tweet(star, `Post ${i}`);
    for (const fan of fans) {
      await post(fan, '/user/follow', { username: star.handle });
      await post(fan, '/user/follow', { username: hub.handle });
      await post(star, '/user/follow', { username: fan.handle });
      const answer = { reply_to_tweet_id: tweetId };
      const reply = await tweet(fan, 'A reply', answer);
      await tweet(fan, `A quote, @${star.handle}`, { quote_tweet_id: tweetId });
      await post(fan, '/tweet/retweet', { tweet_id: tweetId });
      await post(fan, '/tweet/favorite', { tweet_id: tweetId });
      const isKnown = async () => post(star, '/tweet/bookmark', { tweet_id: reply });
      await until(isKnown);
      await post(star, '/tweet/favorite', { tweet_id: reply });
    }
    // A repost of an own post is not an item of its own.
    await post(star, '/tweet/retweet', { tweet_id: tweetId });
    const aboutStar = { userName: star.handle };
    lists = {
      'tweet/advanced_search': { q: `from:${star.handle}` },
      'tweet/replies': { tweet_id: tweetId },
      'tweet/quotes': { tweet_id: tweetId },
      'tweet/retweeters': { tweet_id: tweetId },
      'tweet/likers': { tweet_id: tweetId },
      'user/likes': aboutStar,
      'user/home_timeline': {},
      'user/mentions': {},
      'user/search': { q: hub.handle },
      'user/tweets_and_replies': aboutStar,
      'user/followers': aboutStar,
      'user/following': aboutStar,
      'user/followers_you_know': { user_name: hub.handle },
      'user/bookmarks': {},
      'list/members': { listId: await fixture.listOf(star, fans) },
    };
  });
  afterAll(() => fixture?.stop());

  const paged = actions.filter(({ name }) => name in sizes).map((action) => [action.name, action] as const);

  test.each(paged)('%s has the same items, each once, with pages of 1, 2 and 100', async (name, action) => {
    const complete = sizes[name] ?? 0;
    await until(async () =>
      expect(idsOf(data(await read(action, { count: 100 }))).length).toBeGreaterThanOrEqual(complete),
    );
    const whole = idsOf(data(await read(action, { count: 100 })));
    expect(whole).toHaveLength(complete);
    expect(new Set(whole).size).toBe(complete);
    for (const count of [1, 2, 100]) {
      const seen: string[] = [];
      let cursor: unknown = null;
      do {
        const page = data(await read(action, { count, ...(cursor !== null && { cursor }) }));
        expect(page['has_more']).toBe(page['next_cursor'] !== null);
        expect(idsOf(page).length).toBeLessThanOrEqual(count);
        seen.push(...idsOf(page));
        cursor = page['next_cursor'];
      } while (cursor !== null && seen.length <= complete);
      expect(seen, `pages of ${count}`).toEqual(whole);
    }
  });

  test.each(paged)('%s refuses a cursor of another list, and counts outside 1 to 100', async (_name, action) => {
    expectRefusal(await read(action, { cursor: 'made-up' }), 400, /^Malformed field: cursor/);
    for (const count of [0, 101]) expectRefusal(await read(action, { count }), 400, /^Malformed field: count/);
  });

  test('user/likes of another user is refused with 403', async () => {
    const [fan] = (
      data(await star.client.get('/user/followers', { userName: star.handle, count: '1' })) as {
        followers: { id: string }[];
      }
    ).followers;
    expectRefusal(await star.client.get('/user/likes', { userId: fan?.id ?? '' }), 403, /to that user only/);
  });

  test('look-ups read more tweets and users than the network returns at once, in the order of the request', async () => {
    const known = idsOf(data(await star.client.post('/user/home_timeline', { count: 100 })));
    const unknown = Array.from({ length: 30 }, (_, at) => String(at + 1));
    const ids = [...unknown, ...known.toReversed()];
    const found = data(await star.client.get('/tweets', { ids: ids.join(',') }));
    expect(idsOf({ tweets: found['tweets'] })).toEqual(known.toReversed());
    expect(found['missing']).toEqual(unknown.map((id) => ({ id, reason: 'not_found' })));
    const followers = data(await star.client.get('/user/followers', { userName: star.handle }));
    const people = idsOf(followers);
    const byId = data(await star.client.get('/users', { ids: [...people, '1'].join(',') }));
    expect(idsOf({ users: byId['users'] })).toEqual(people);
    expect(byId['missing']).toEqual([{ id: '1', reason: 'not_found' }]);
    const byName = data(await star.client.get('/users', { userNames: `nobody,${star.handle.toUpperCase()}` }));
    expect(byName).toMatchObject({
      users: [{ userName: star.handle }],
      missing: [{ userName: 'nobody', reason: 'not_found' }],
    });
  });
});
