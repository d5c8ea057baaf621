import { describe, expect, test } from 'vitest';
import type { Tweet } from '../../src/shared/model/tweet.ts';
import { useService } from '../support/use-service.ts';

const { ada } = await useService({ RATE_LIMIT: '0' }, { dollars: '10' });
const queries = ['the OR a', 'filter:media', 'filter:videos', 'filter:quote', 'filter:verified'];
const tweets = (await Promise.all(queries.map((q) => search(q, 10)))).flat();

async function search(q: string, pages: number): Promise<Tweet[]> {
  const found: Tweet[] = [];
  for (let cursor: string | null = null; pages > 0; pages--) {
    const { data } = (await ada.get('/tweet/advanced_search', { q, count: '100', ...(cursor && { cursor }) })).body;
    found.push(...(data['tweets'] as Tweet[]));
    cursor = data['next_cursor'] as string | null;
    if (cursor === null) break;
  }
  return found;
}

const both = (values: readonly unknown[]) => [values.includes(null), values.some((value) => value !== null)];

describe('the demo dataset shows', () => {
  test.each<[string, (tweet: Tweet) => readonly unknown[]]>([
    ['source', (tweet) => [tweet.source]],
    ['viewCount', (tweet) => [tweet.viewCount]],
    ['inReplyToId', (tweet) => [tweet.inReplyToId]],
    ['inReplyToUserId', (tweet) => [tweet.inReplyToUserId]],
    ['quoted_tweet', (tweet) => [tweet.quoted_tweet]],
    ['media.expanded_url', (tweet) => tweet.media.map((media) => media.expanded_url)],
    ['media.video_url', (tweet) => tweet.media.map((media) => media.video_url)],
    ['media.width', (tweet) => tweet.media.map((media) => media.width)],
    ['media.height', (tweet) => tweet.media.map((media) => media.height)],
    ['media.duration_ms of videos', ({ media }) => media.filter((m) => m.video_url).map((m) => m.duration_ms)],
    ['author.url', (tweet) => [tweet.author.url]],
    ['author.location', (tweet) => [tweet.author.location]],
    ['author.verifiedType', (tweet) => [tweet.author.verifiedType]],
    ['author.profilePicture', (tweet) => [tweet.author.profilePicture]],
    ['author.coverPicture', (tweet) => [tweet.author.coverPicture]],
  ])('%s with a value and with null', (_name, valuesOf) => {
    expect(both(tweets.flatMap(valuesOf))).toEqual([true, true]);
  });

  test('every list of entities with and without entries', () => {
    for (const list of ['hashtags', 'symbols', 'timestamps', 'urls', 'user_mentions'] as const) {
      const sizes = tweets.map(({ entities }) => entities[list].length);
      expect([Math.min(...sizes), Math.max(...sizes) > 0], list).toEqual([0, true]);
    }
  });

  test('timestamps in the text that are within the video', () => {
    const stamped = tweets.filter(({ entities }) => entities.timestamps.length > 0);
    expect(stamped.length).toBeGreaterThan(5);
    for (const { text, entities, media } of stamped) {
      for (const { text: time, indices } of entities.timestamps) {
        expect([...text].slice(...indices).join('')).toBe(time);
        const [minutes = 0, seconds = 0] = time.split(':').map(Number);
        expect((minutes * 60 + seconds) * 1_000).toBeLessThanOrEqual(media[0]?.duration_ms ?? 0);
      }
    }
  });

  test('users with a pinned tweet of their own and users without', async () => {
    const { author } = tweets.find((tweet) => tweet.author.pinnedTweetIds.length > 0) as Tweet;
    expect(tweets.some((tweet) => tweet.author.pinnedTweetIds.length === 0)).toBe(true);
    const [tweet_id = ''] = author.pinnedTweetIds;
    expect((await ada.get('/tweet/detail', { tweet_id })).body.data).toMatchObject({ author: { id: author.id } });
    const { data } = (await ada.get('/user/info', { userName: 'grace' })).body;
    expect(data['pinnedTweetIds']).toHaveLength(1);
  });

  test('verifiedSince with a day, without one, and of a verified user without one', async () => {
    const authors = new Map(tweets.map(({ author }) => [author.id, author]));
    const seen = new Set<string>();
    for (const { id: userId, isVerified, isBlueVerified } of authors.values()) {
      const { verifiedSince } = (await ada.get('/user/user_about', { userId })).body.data;
      seen.add(
        `${isVerified || isBlueVerified ? 'verified' : 'not verified'}, ${verifiedSince === '' ? 'no day' : 'a day'}`,
      );
      if (seen.size === 3) break;
    }
    expect([...seen].sort()).toEqual(['not verified, no day', 'verified, a day', 'verified, no day']);
  });
});
