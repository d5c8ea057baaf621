import { expect } from 'vitest';
import { ParityFixture, writeArticle } from '../../api/graphql/parity-fixture.ts';
import type { ParityPlatform, PlatformActor } from '../../api/graphql/parity-platform.ts';
import type { Answer } from '../../support/client.ts';
import { startReceiver } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';
import { type Person, startAtprotoFixture } from './world.ts';

function dataOf({ body }: Answer): Record<string, unknown> {
  if (body.error !== null) throw new Error(body.error);
  return body.data;
}

/** The AT Protocol as a platform of the table that compares REST and GraphQL. */
export async function startAtprotoParity(): Promise<ParityFixture> {
  const fixture = await startAtprotoFixture({ ALLOW_LOCALHOST_WEBHOOKS: '1' });
  const actorOf = async ({ handle, password, client }: Person): Promise<PlatformActor> => {
    const { id } = dataOf(await client.get('/user/me'));
    return { userName: handle, userId: String(id), authToken: `${handle}:${password}`, encryptionCode: '' };
  };
  const [ada, grace, linus] = [await fixture.join('ada'), await fixture.join('grace'), await fixture.join('linus')];
  const tweet = async (person: Person, text: string, more: Record<string, unknown> = {}) =>
    String(dataOf(await person.client.post('/tweet/create', { text, ...more }))['id']);
  const discussedTweet = await tweet(ada, 'A tweet that is answered');
  const isIndexed = async () => dataOf(await grace.client.get('/tweet/detail', { tweet_id: discussedTweet }));
  await until(isIndexed);
  for (const person of [grace, linus]) {
    await tweet(person, `A reply to @${ada.handle}`, { reply_to_tweet_id: discussedTweet });
    await tweet(person, 'A quote', { quote_tweet_id: discussedTweet });
    dataOf(await person.client.post('/tweet/retweet', { tweet_id: discussedTweet }));
    dataOf(await person.client.post('/tweet/favorite', { tweet_id: discussedTweet }));
    dataOf(await ada.client.post('/user/follow', { username: person.handle }));
  }
  // A repost of an own post is not an item of its own.
  dataOf(await ada.client.post('/tweet/retweet', { tweet_id: discussedTweet }));
  dataOf(await linus.client.post('/user/follow', { username: grace.handle }));
  dataOf(await grace.client.post('/user/follow', { username: ada.handle }));
  dataOf(await ada.client.post('/tweet/bookmark', { tweet_id: discussedTweet }));
  dataOf(await ada.client.post('/tweet/favorite', { tweet_id: discussedTweet }));
  await fixture.verify(ada, grace, 'GRACE');
  for (const published of [true, false]) await writeArticle(ada.client, published);
  const list = await fixture.listOf(ada, [grace, linus]);
  const { actions } = dataOf(await ada.client.get('/capabilities')) as {
    actions: { name: string; supported: boolean }[];
  };
  const unsupported = new Set(actions.flatMap(({ name, supported }) => (supported ? [] : [name])));
  const user = await actorOf(linus);
  const idle = await actorOf(await fixture.join('idle'));
  const platform: ParityPlatform = {
    ...fixture.api,
    // The code is part of a valid request, although the platform has no encrypted messages.
    reader: { ...(await actorOf(ada)), encryptionCode: '738205' },
    shared: {
      knownUser: grace.handle,
      articleAuthor: ada.handle,
      likingUser: ada.handle,
      organization: ada.handle,
      discussedTweet,
      list,
      tweetSearch: `from:${grace.handle}`,
      userSearch: grace.handle,
      readersConversation: '1:2',
    },
    settlingMs: 500,
    supports: (action) => !unsupported.has(action),
    makeAccount: fixture.makeAccount,
    newActors: async ({ writes }) => ({ actor: writes ? await actorOf(await fixture.join('writer')) : idle, user }),
    follow: async (username) => {
      dataOf(await linus.client.post('/user/follow', { username }));
    },
    uploads: () => fixture.sent('com.atproto.repo.uploadBlob'),
    stop: fixture.stop,
  };
  // The AppView indexes the data in any order.
  const counts = async () => {
    const { replyCount, quoteCount, retweetCount, likeCount } = (
      await ada.client.get('/tweet/detail', { tweet_id: discussedTweet })
    ).body.data;
    const { followers } = (await ada.client.get('/user/info', { userName: grace.handle })).body.data;
    const { user_count: members } = (await ada.client.get('/list/members', { listId: list })).body.data;
    const { affiliates } = dataOf(await ada.client.get('/user/affiliates', { userName: ada.handle }));
    const verified = (affiliates as unknown[]).length;
    return { replyCount, quoteCount, retweetCount, likeCount, followers, members, verified };
  };
  const complete = {
    replyCount: 2,
    quoteCount: 2,
    retweetCount: 3,
    likeCount: 3,
    followers: 2,
    members: 2,
    verified: 1,
  };
  await until(async () => expect(await counts()).toEqual(complete));
  return new ParityFixture(platform, await startReceiver());
}
