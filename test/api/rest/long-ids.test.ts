import { encodeGlobalID } from '@pothos/plugin-relay';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const longest = '9'.repeat(64);
const tooLong = `1${longest}`;
const handle = 'alice.some-where.bsky.social';

const { ada, graphql } = await useService({ RATE_LIMIT: '0' });

type Row = readonly [method: 'get' | 'post', path: string, field: string, more: Record<string, string>];

const code = { encryption_code: '000000' };

/** All inputs that contain an id. */
const idFields: readonly Row[] = [
  ['get', '/tweet/detail', 'tweet_id', {}],
  ['get', '/tweet/replies', 'tweet_id', {}],
  ['get', '/tweet/quotes', 'tweet_id', {}],
  ['get', '/tweet/retweeters', 'tweet_id', {}],
  ['post', '/tweet/delete', 'tweet_id', {}],
  ['post', '/tweet/favorite', 'tweet_id', {}],
  ['post', '/tweet/unretweet', 'tweet_id', {}],
  ['post', '/tweet/bookmark', 'tweet_id', {}],
  ['post', '/tweet/create', 'reply_to_tweet_id', { text: 'Never posted' }],
  ['post', '/tweet/create', 'quote_tweet_id', { text: 'Never posted' }],
  ['get', '/user/info', 'userId', {}],
  ['get', '/user/followers', 'userId', {}],
  ['get', '/user/tweets_and_replies', 'userId', {}],
  ['post', '/user/follow', 'user_id', {}],
  ['post', '/user/followers_you_know', 'user_id', {}],
  ['get', '/list/members', 'listId', {}],
  ['get', '/article/detail', 'article_id', {}],
  ['post', '/article/publish', 'article_id', {}],
];

describe('ids', () => {
  test.each(idFields)('of 64 digits are looked up: %s %s, %s', async (method, path, field, more) => {
    const answer = await ada[method](path, { ...more, [field]: longest });
    expectRefusal(answer, 404, new RegExp(`not found: ${longest}$`));
  });

  test.each(idFields)('of 65 digits are refused: %s %s, %s', async (method, path, field, more) => {
    const answer = await ada[method](path, { ...more, [field]: tooLong });
    expectRefusal(answer, 400, `Malformed field: ${field}: must be a numeric id of up to 64 digits`);
  });

  test('of media may have 64 digits', async () => {
    const answer = await ada.post('/tweet/create', { text: 'Never posted', media_ids: [longest] });
    expectRefusal(answer, 404, new RegExp(longest));
  });

  test('of conversations may have 64 digits on each side', async () => {
    const conversation_id = `${longest}:${longest}`;
    const answer = await ada.get('/dm/messages', { ...code, conversation_id });
    expect([403, 404]).toContain(answer.status);
    const refused = await ada.get('/dm/messages', { ...code, conversation_id: `${longest}:${tooLong}` });
    expectRefusal(refused, 400, /^Malformed field: conversation_id: /);
  });

  test.each(['Tweet', 'User', 'Article'])('of 64 digits are valid in a global id of %s', async (type) => {
    const id = encodeGlobalID(type, longest);
    const { errors } = await graphql.ask('query ($id: ID!) { node(id: $id) { id } }', { id });
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });
});

describe('screen names', () => {
  test.each([
    ['get', '/user/info', 'userName'],
    ['get', '/user/following', 'userName'],
    ['post', '/user/follow', 'username'],
    ['post', '/user/followers_you_know', 'user_name'],
  ] as const)('may be handles with dots and hyphens: %s %s', async (method, path, field) => {
    expectRefusal(await ada[method](path, { [field]: handle }), 404, `User not found: ${handle}`);
    expectRefusal(await ada[method](path, { [field]: `@${handle}` }), 404, `User not found: ${handle}`);
  });

  test.each(['.alice', 'alice.', '-alice', 'alice-', '..', 'a/b', 'alice bob', '@', 'a'.repeat(254)])(
    'must be well-formed: %s',
    async (userName) => {
      expectRefusal(
        await ada.get('/user/info', { userName }),
        400,
        /^Malformed field: userName: must be a screen name/,
      );
    },
  );
});
