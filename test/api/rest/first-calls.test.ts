import { describe, expect, test } from 'vitest';
import { actions } from '../../../src/actions/registry.ts';
import { useService } from '../../support/use-service.ts';

const { service, ada: caller } = await useService();
const ada = caller.with({ key: service.demo.apiKey });

function outputOf(action: string) {
  const declared = actions.find(({ name }) => name === action);
  if (!declared) throw new Error(`no action ${action}`);
  return declared.output;
}

describe('a newcomer with the demo key', () => {
  test('gets a page of tweets with the price and the remaining credit', async () => {
    const answer = await ada.get('/tweet/advanced_search', { q: 'from:grace', count: '5' });
    expect(answer.status).toBe(200);
    expect(answer.body.error).toBeNull();
    expect(() => outputOf('tweet/advanced_search').parse(answer.body.data)).not.toThrow();
    expect(answer.body.data).toMatchObject({ query: 'from:grace', tweet_count: 5, has_more: true });
    expect(answer.headers.get('x-credits-charged')).toBe('0.001');
    expect(answer.headers.get('x-credits-remaining')).toBe('9.999');
  });

  test('posts a tweet, finds it, likes it and removes the like', async () => {
    const posted = await ada.post('/tweet/create', { text: 'A zebra crossed the harbour' });
    expect(posted.status).toBe(200);
    expect(() => outputOf('tweet/create').parse(posted.body.data)).not.toThrow();
    const tweet_id = String(posted.body.data['id']);

    const likes = async () => {
      const found = await ada.get('/tweet/advanced_search', { q: '"zebra crossed"' });
      const [tweet] = found.body.data['tweets'] as { id: string; likeCount: number }[];
      expect(tweet?.id).toBe(tweet_id);
      return tweet?.likeCount;
    };
    expect((await ada.post('/tweet/favorite', { tweet_id })).body.data).toEqual({ tweetId: tweet_id, liked: true });
    expect((await ada.post('/tweet/favorite', { tweet_id })).body.data).toEqual({ tweetId: tweet_id, liked: true });
    expect(await likes()).toBe(1);
    expect((await ada.post('/tweet/unlike', { tweet_id })).body.data).toEqual({ tweetId: tweet_id, unliked: true });
    expect(await likes()).toBe(0);
  });

  test('replies to a tweet and quotes one, by id and by address', async () => {
    const found = await ada.get('/tweet/advanced_search', { q: 'from:grace', count: '1' });
    const [target] = found.body.data['tweets'] as { id: string; url: string }[];
    await ada.post('/tweet/create', { text: 'Reply to an ocelot', reply_to_tweet_id: target?.id });
    await ada.post('/tweet/create', { text: 'Quote of an ocelot, by id', quote_tweet_id: target?.id });
    await ada.post('/tweet/create', { text: 'Quote of an ocelot, by address', quote_tweet_url: target?.url });
    const mine = await ada.get('/tweet/advanced_search', { q: 'from:ada ocelot' });
    expect(mine.body.data['tweets']).toMatchObject([
      { text: 'Quote of an ocelot, by address', quoted_tweet: { id: target?.id } },
      { text: 'Quote of an ocelot, by id', quoted_tweet: { id: target?.id } },
      { text: 'Reply to an ocelot', isReply: true, inReplyToId: target?.id },
    ]);
  });

  test('looks up a user by name (with or without @) and by id, which overrides the name', async () => {
    const byName = await ada.get('/user/info', { userName: 'grace' });
    expect(() => outputOf('user/info').parse(byName.body.data)).not.toThrow();
    const userId = service.demo.accounts[1].userId;
    expect(byName.body.data).toMatchObject({ userName: 'grace', id: userId });
    expect((await ada.get('/user/info', { userName: '@grace' })).body.data).toEqual(byName.body.data);
    expect((await ada.get('/user/info', { userName: 'ada', userId })).body.data).toEqual(byName.body.data);
  });

  test('pages through a search to its end, every tweet once', async () => {
    const ids: string[] = [];
    for await (const page of ada.pages('/tweet/advanced_search', { q: 'from:grace', count: '7' })) {
      ids.push(...(page['tweets'] as { id: string }[]).map(({ id }) => id));
      expect(page['has_more']).toBe(page['next_cursor'] !== null);
    }
    expect(ids.length).toBeGreaterThanOrEqual(60);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('sends the actor in a header instead, so that it stays out of the URL', async () => {
    const answer = await ada.with({ authToken: '' }).get('/user/info', { userName: 'ada' }, ada.headers);
    expect(answer.status).toBe(200);
  });
});
