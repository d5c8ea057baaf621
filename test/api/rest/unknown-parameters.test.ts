import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { knownInput } from '../../../src/actions/input/input.ts';
import { unknownParameter } from '../../../src/api/rest/unknown-parameters.ts';
import { exchange } from '../../support/raw.ts';
import { expectRefusal, restingBalance } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { service, sandbox, ada } = await useService();
const everywhere = 'auth_token, proxy, encryption_code';

function send(method: string, path: string, body: object | undefined) {
  const headers = { ...ada.headers, 'content-type': 'application/json' };
  return ada.send(method, path, body && JSON.stringify(body), headers);
}

describe('unknown parameters', () => {
  afterAll(async () => {
    expect(await restingBalance(ada)).toBe('1');
    expect(await sandbox.tweets()).toEqual([]);
  });

  const ofTweet =
    'text, reply_to_tweet_id, quote_tweet_id, quote_tweet_url, media_ids, media_urls, keep_metadata, media_alt_texts, langs';
  test.each([
    [
      'POST',
      '/tweet/create',
      { text: 'x', in_reply_to_tweet_id: '1' },
      'in_reply_to_tweet_id. Did you mean reply_to_tweet_id?',
      ofTweet,
    ],
    ['POST', '/tweet/create', { text: 'x', scheduled_at: null }, 'scheduled_at.', ofTweet],
    ['POST', '/tweet/create', { text: 'x', replyTo: '1' }, 'replyTo. Did you mean reply_to_tweet_id?', ofTweet],
    [
      'GET',
      '/dm/list?next_cursor_id=x',
      undefined,
      'next_cursor_id. Did you mean cursor_id?',
      'count, cursor_id, graph_snapshot_id',
    ],
    ['POST', '/tweet/create?text=y', { text: 'x' }, 'text: send it in the JSON body.', ofTweet],
    ['POST', '/tweet/create?dry_run=1', { text: 'x' }, 'dry_run.', ofTweet],
    ['GET', '/tweet/advanced_search?q=a&limit=5', undefined, 'limit.', 'q, product, count, cursor'],
    [
      'GET',
      '/tweet/advanced_search?q=a&curser=x&curser=y',
      undefined,
      'curser. Did you mean cursor?',
      'q, product, count, cursor',
    ],
    ['GET', '/user/info?userName=ada&=y', undefined, '.', 'userName, userId'],
    ['GET', '/user/info?userName=ada&a%0Ab', undefined, 'a\\u{a}b.', 'userName, userId'],
    ['GET', '/dm/list?cursor=x', undefined, 'cursor. Did you mean cursor_id?', 'count, cursor_id, graph_snapshot_id'],
    ['GET', '/events?types[]=tweet.like', undefined, 'types[]. Did you mean types?', 'types, last_event_id, token'],
    ['PUT', '/webhooks/wh_1?force=1', {}, 'force.', ''],
    ['PATCH', '/webhooks/wh_1', { id: 'wh_2', paused: true }, 'id.', 'url, events, paused'],
    ['DELETE', '/webhooks/wh_1?force=1', undefined, 'force.', ''],
    ['GET', '/account?verbose=1', undefined, 'verbose.', ''],
    ['GET', '/capabilities?v=1', undefined, 'v.', ''],
    [
      'POST',
      '/account/keys',
      { name: 'x', readonly: true },
      'readonly. Did you mean read_only?',
      'name, read_only, groups, connections, ip_ranges, calls_per_minute, dollars_per_day, expires_at',
    ],
  ])('are refused with 400 before anything runs: %s %s %j', async (method, path, body, sentence, known) => {
    const answer = await send(method, path, body);
    const names = known === '' ? everywhere : `${known}, ${everywhere}`;
    expectRefusal(answer, 400, `Unknown parameter: ${sentence} Known parameters: ${names}`);
    const id = answer.headers.get('x-request-id');
    expect(service.log.find((line) => line.includes(`"${id}"`))).toContain('"unknown_parameter"');
  });

  test('are refused with 400 in the body of a GET', async () => {
    const error = `Unknown parameter: count: send it in the query string. Known parameters: userName, userId, count, cursor, ${everywhere}`;
    const head = Object.entries({
      host: 'x',
      ...ada.headers,
      'content-type': 'application/json',
      'content-length': '11',
    });
    const lines = ['GET /v1/user/followers?userName=ada HTTP/1.1', ...head.map((header) => header.join(': ')), '', ''];
    const { answers } = await exchange(service.origin, `${lines.join('\r\n')}{"count":5}`);
    expect(answers).toMatchObject([{ status: 400, body: JSON.stringify({ status: false, data: null, error }) }]);
  });

  test.each([
    [
      'GET',
      '/user/info?user_name=ada',
      undefined,
      'userName or userId',
      'user_name. Did you mean userName?',
      'userName, userId',
    ],
    ['GET', '/list/members?list_id=1', undefined, 'listId', 'list_id. Did you mean listId?', 'listId, count, cursor'],
    ['GET', '/tweet/detail?tweetId=1', undefined, 'tweet_id', 'tweetId. Did you mean tweet_id?', 'tweet_id'],
    [
      'POST',
      '/user/follow',
      { userName: 'grace' },
      'username or user_id',
      'userName. Did you mean username?',
      'username, user_id',
    ],
    [
      'POST',
      '/article/publish',
      { articleId: null },
      'article_id',
      'articleId. Did you mean article_id?',
      'article_id',
    ],
    ['POST', '/tweet/favorite?tweet_id=1', {}, 'tweet_id', 'tweet_id: send it in the JSON body.', 'tweet_id'],
  ])('are named with 400 after a missing parameter: %s %s %j', async (method, path, body, missing, sentence, known) => {
    const error = `Missing required field: ${missing}. Unknown parameter: ${sentence} Known parameters: ${known}, ${everywhere}`;
    expectRefusal(await send(method, path, body), 400, error);
  });

  test('are named with 400 after a missing auth_token', async () => {
    const answer = await ada.with({ authToken: '' }).get('/user/me', { authToken: 'x' });
    const named = 'Unknown parameter: authToken. Did you mean auth_token?';
    expectRefusal(answer, 400, `Missing required field: auth_token. ${named} Known parameters: ${everywhere}`);
  });

  test('are refused with 403 if the key may not call the endpoint', async () => {
    const { data } = (await ada.post('/account/keys', { name: 'Reader', read_only: true })).body;
    const reader = ada.with({ key: String(data['key']) });
    expectRefusal(await reader.post('/tweet/create', { text: 'x', scheduled_at: '1' }), 403);
  });

  test('are named up to three times with 400, also __proto__ and constructor', async () => {
    const names = Array.from({ length: 9_000 }, (_, at) => `name${at}`);
    const body = `{"text":"x","__proto__":{"polluted":1},"constructor":1,${names.map((name) => `"${name}":1`).join()}}`;
    const { error } = (
      await ada.send('POST', '/tweet/create', body, { ...ada.headers, 'content-type': 'application/json' })
    ).body;
    expect(error).toMatch(
      /^Unknown parameter: __proto__\. Unknown parameter: constructor\. Unknown parameter: name0\. There are 8999 more\. /,
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('are named by their path in nested objects', () => {
    const media = z.object({ url: z.string(), alt: z.string().optional() });
    const schema = z.object({ media: z.array(media).optional(), poll: z.object({ options: z.array(z.string()) }) });
    const { input, unknown } = knownInput(schema, {
      media: [
        { url: 'a', alt: null },
        { url: 'b', altt: null },
      ],
      poll: { options: ['x', null, 'y'], days: 1 },
    });
    expect(input).toEqual({ media: [{ url: 'a' }, { url: 'b' }], poll: { options: ['x', 'y'] } });
    expect(unknownParameter(unknown).message).toBe(
      'Unknown parameter: media[1].altt. Did you mean alt? Unknown parameter: poll.days. Known parameters of media[1]: url, alt',
    );
  });
});

describe('Prefer: handling=lenient', () => {
  const lenient = { prefer: 'respond-async, handling=lenient; x="a,b"' };

  test('ignores unknown parameters and lists them with 200', async () => {
    const { status, headers } = await ada.get('/user/info', { userName: 'ada', 'types[]': '1', 'ä,b\n': '2' }, lenient);
    expect(status).toBe(200);
    expect(headers.get('preference-applied')).toBe('handling=lenient');
    expect(headers.get('x-ignored-parameters')).toBe('types[], %C3%A4%2Cb%0A');
  });

  test('lists nothing with 200 if all parameters are known', async () => {
    const { headers } = await ada.get('/account', { auth_token: 'x', encryption_code: 'y' }, lenient);
    expect(headers.get('preference-applied')).toBe('handling=lenient');
    expect(headers.get('x-ignored-parameters')).toBeNull();
  });

  test('limits the length of the list', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`parameter${at}`, '1']));
    const { headers } = await ada.post('/user/home_timeline', many, lenient);
    expect(headers.get('x-ignored-parameters')).toMatch(/^parameter0, .{1900,2000}, parameter\d+, \.\.\.$/);
  });

  test.each(['handling=strict', 'x="handling=lenient"', 'handling=strict, handling=lenient', 'lenient'])(
    'refuses unknown parameters with 400 for Prefer: %s',
    async (prefer) => {
      const { status, headers } = await ada.get('/account', { x: '1' }, { prefer });
      expect([status, headers.get('preference-applied')]).toEqual([400, null]);
    },
  );

  test('ignores unknown parameters and null in the comparison for an Idempotency-Key', async () => {
    const key = { ...lenient, 'idempotency-key': 'lenient' };
    const first = await ada.post('/tweet/create', { text: 'Once', scheduled_at: '1' }, key);
    const second = await ada.post('/tweet/create', { text: 'Once', other: [1], langs: null }, key);
    expect(first.status).toBe(200);
    expect([second.body, second.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
    expectRefusal(await ada.post('/tweet/create', { text: 'Twice' }, key), 422);
  });
});
