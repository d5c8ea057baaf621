import { inspect } from 'node:util';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { actions, streams } from '../../src/actions/registry.ts';
import {
  AuthenticationError,
  type Call,
  ConflictError,
  InsufficientCreditsError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  Postern,
  PosternError,
  type Tweet,
  type UserCard,
  type UserFollowersPage,
} from '../../src/client/index.ts';
import { examplePng } from '../../src/media/media-input.ts';
import { useService } from '../support/use-service.ts';
import { errorOf } from './scripted-server.ts';

const { service } = await useService();

const { apiKey, baseUrl, accounts } = service.demo;
const [ada] = accounts;
const postern = new Postern({ baseUrl, apiKey, authToken: ada?.authToken, encryptionCode: ada?.encryptionCode });

describe('a call', () => {
  test('returns the data with the names of the REST contract', async () => {
    const user = await postern.user.info({ userName: 'grace' });
    expect(user).toMatchObject({ userName: 'grace', isVerified: expect.any(Boolean) });
    expect((await postern.user.lookup({ userNames: ['grace'] })).users).toMatchObject([{ userName: 'grace' }]);
    const tweet = await postern.tweet.create({ text: `Hello at ${Date.now()}` });
    expect(await postern.tweet.favorite({ tweet_id: tweet.id })).toEqual({ tweetId: tweet.id, liked: true });
    expect(await postern.tweet.detail({ tweet_id: tweet.id })).toMatchObject({ id: tweet.id, text: tweet.text });
    expectTypeOf(user.followers).toEqualTypeOf<number>();
    expectTypeOf<ReturnType<typeof postern.tweet.detail>>().toEqualTypeOf<Call<Tweet>>();
  });

  test('gives its cost and the credit that is left with withResponse', async () => {
    const { data, response, ...result } = await postern.user.me().withResponse();
    expect(data.userName).toBe('ada');
    expect(response.headers.get('ratelimit-remaining')).not.toBeNull();
    expect(result).toEqual({
      requestId: expect.any(String),
      creditsCharged: '0.001',
      creditsRemaining: expect.stringMatching(/^9\./),
      replayed: false,
      retries: 0,
    });
    const free = await postern.account.balance().withResponse();
    expect(free).toMatchObject({ creditsCharged: null, creditsRemaining: null });
  });

  test('is performed once under an idempotencyKey of the caller', async () => {
    const send = () => postern.tweet.create({ text: 'Once only' }, { idempotencyKey: 'once-only' }).withResponse();
    const [first, second] = [await send(), await send()];
    expect(second).toMatchObject({ data: first.data, replayed: true, creditsCharged: null });
  });

  test('acts as another account with withOptions, or with an option of the call', async () => {
    const authToken = service.demo.accounts[1].authToken;
    expect(await postern.withOptions({ authToken }).user.me()).toMatchObject({ userName: 'grace' });
    expect(await postern.user.me({}, { authToken })).toMatchObject({ userName: 'grace' });
  });

  test('reaches paths with parameters, and PUT, PATCH and DELETE', async () => {
    const { key } = await service.makeAccount('1');
    const other = postern.withOptions({ apiKey: key });
    const { id } = await other.webhooks.create({ url: 'http://localhost:9/hook', events: ['tweet.like'] });
    expect(await other.webhooks.update({ id, paused: true })).toMatchObject({ id, paused: true, state: 'paused' });
    expect(await other.webhooks.validate({ id })).toMatchObject({ id, valid: false });
    expect((await other.webhooks.deliveries({ id })).deliveries).toEqual([]);
    expect(await other.webhooks.delete({ id })).toEqual({ id, deleted: true });
    const created = await other.account.keys.create({ name: 'Second key' });
    expect(await other.account.keys.revoke({ id: created.id })).toMatchObject({ id: created.id });
    expect((await other.account.keys.get()).api_keys).toHaveLength(2);
  });

  test('opens direct messages with the encryption code', async () => {
    const [conversation] = (await postern.dm.list({ count: 1 })).conversations;
    expect(conversation?.last_message?.text).toEqual(expect.any(String));
    const sent = await postern.dm.send({ conversation_id: conversation?.conversation_id, text: 'Good morning' });
    const [message] = await postern.dm.messages({ conversation_id: sent.conversation_id }).toArray({ limit: 1 });
    expect(message?.text).toEqual(expect.any(String));
  });

  const png = Uint8Array.from(Buffer.from(examplePng, 'base64'));
  test.each<[string, () => Parameters<Postern['media']['upload']>[0]]>([
    ['a Blob with its type', () => ({ media_data: new Blob([png], { type: 'image/png' }) })],
    ['bytes', () => ({ media_data: png, media_type: 'image/png' })],
    ['an ArrayBuffer', () => ({ media_data: png.buffer, media_type: 'image/png' })],
    ['a view of bytes', () => ({ media_data: new DataView(png.buffer) as never, media_type: 'image/png' })],
    ['a stream', () => ({ media_data: new Blob([png]).stream(), media_type: 'image/png' })],
    ['base64', () => ({ media_data: examplePng, media_type: 'image/png' })],
  ])('uploads %s', async (_, input) => {
    expect(await postern.media.upload(input())).toMatchObject({ media_type: 'image/png', size: png.length });
  });

  test('refuses an object that is no file', async () => {
    expect(await errorOf(postern.media.upload({ media_data: {} as Blob }))).toBeInstanceOf(TypeError);
  });

  test('refuses a file that cannot fit into a body', async () => {
    const chunk = new Uint8Array(1024 * 1024);
    let chunks = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks++;
        controller.enqueue(chunk);
      },
    });
    expect(await errorOf(postern.media.upload({ media_data: endless }))).toBeInstanceOf(RangeError);
    expect(chunks).toBeLessThan(25);
  });
});

describe('a list', () => {
  test('gives its first page when awaited, and the items of all pages in a loop', async () => {
    const list = postern.user.followers({ userName: 'grace', count: 3 });
    expectTypeOf(list).resolves.toEqualTypeOf<UserFollowersPage>();
    const page = await list;
    expect(page).toMatchObject({ userName: 'grace', user_count: 3, has_more: true });
    const names: string[] = [];
    for await (const user of list) {
      expectTypeOf(user).toEqualTypeOf<UserCard>();
      if (names.push(user.userName) === 8) break;
    }
    expect(names.slice(0, 3)).toEqual(page.followers.map(({ userName }) => userName));
    const eight = await postern.user.followers({ userName: 'grace', count: 8 });
    expect(names).toEqual(eight.followers.map(({ userName }) => userName));
  });

  test('continues with a cursor, and gives pages', async () => {
    const first = await postern.tweet.advancedSearch({ q: 'from:grace', count: 2 });
    const second = await postern.tweet.advancedSearch({ q: 'from:grace', count: 2, cursor: first.next_cursor ?? '' });
    const pages: string[][] = [];
    for await (const page of postern.tweet.advancedSearch({ q: 'from:grace', count: 2 }).pages()) {
      pages.push(page.tweets.map(({ id }) => id));
      if (pages.length === 2) break;
    }
    expect(pages).toEqual([first.tweets, second.tweets].map((tweets) => tweets.map(({ id }) => id)));
  });

  test('with a cursor of two parts, or sent as POST, is paged as well', async () => {
    const conversations = await postern.dm.list({ count: 1 }).toArray({ limit: 3 });
    expect(new Set(conversations.map(({ conversation_id }) => conversation_id)).size).toBe(3);
    const timeline = await postern.user.homeTimeline({ count: 2 }).toArray({ limit: 5 });
    expect(new Set(timeline.map(({ id }) => id)).size).toBe(5);
  });
});

describe('an error', () => {
  const unknown = { authToken: 'unknown' };

  test.each<[string, () => PromiseLike<unknown>, typeof PosternError, Partial<PosternError>]>([
    ['of the input', () => postern.user.info({}), InvalidRequestError, { code: 'bad_input', status: 400 }],
    [
      'of the key',
      () => postern.withOptions({ apiKey: 'pst_unknown' }).account.get(),
      AuthenticationError,
      { code: 'unauthenticated', status: 401 },
    ],
    ['of the token', () => postern.user.me({}, unknown), PermissionError, { code: 'forbidden', status: 403 }],
    ['of the name', () => postern.tweet.detail({ tweet_id: '1' }), NotFoundError, { code: 'not_found', status: 404 }],
  ])('%s has its class, code, status and request id', async (_, send, type, fields) => {
    const error = await errorOf(send());
    expect(error).toBeInstanceOf(type);
    expect(error).toBeInstanceOf(PosternError);
    expect(error).toMatchObject({ ...fields, requestId: expect.any(String), name: type.name });
  });

  test('of a duplicate and of credit has its class', async () => {
    const text = `Twice at ${Date.now()}`;
    await postern.tweet.create({ text });
    expect(await errorOf(postern.tweet.create({ text }))).toBeInstanceOf(ConflictError);
    const { key } = await service.makeAccount('0');
    expect(await errorOf(postern.withOptions({ apiKey: key }).user.me())).toBeInstanceOf(InsufficientCreditsError);
  });

  test('about an option or a field never contains a secret', async () => {
    const secret = 'se\ncret-value';
    for (const make of [
      () => new Postern({ baseUrl, apiKey: secret }),
      () => new Postern({ baseUrl, apiKey: 'key', authToken: secret }),
      () => new Postern({ baseUrl: `http://user:cret-value@${new URL(baseUrl).host}/v1`, apiKey: 'key' }),
      () => new Postern({ baseUrl: 'cret-value', apiKey: 'key' }),
    ]) {
      expect(make).toThrow(TypeError);
      expect(make).not.toThrow('cret-value');
    }
    const inInput = { auth_token: 'cret-value', userName: 'grace' };
    const refused = String(await errorOf(postern.user.info(inInput)));
    expect(refused).toMatch(/^TypeError: auth_token is not part of the input/);
    const missing = process.env['NO_SUCH_VARIABLE'] as string;
    expect(() => new Postern({ baseUrl, apiKey: missing })).toThrow('apiKey is missing or empty');
  });

  test.each(['', '.', '..', undefined])('refuses %j in a path', async (id) => {
    expect(await errorOf(postern.webhooks.detail({ id: id as string }))).toBeInstanceOf(TypeError);
  });
});

test('no secret is visible in a client, a call or an error', async () => {
  const secrets = [apiKey, ...accounts.flatMap(({ authToken, encryptionCode }) => [authToken, encryptionCode])];
  const echo = (_url: string, init: RequestInit) => {
    const error = JSON.stringify(init.headers);
    return Promise.resolve(Response.json({ status: false, error }, { status: 400 }));
  };
  const rejecting = (_url: string, init: RequestInit) =>
    Promise.reject(Object.assign(new Error(JSON.stringify(init.headers)), { init }));
  const call = postern.dm.list();
  const shown = [
    postern,
    call,
    await call.withResponse(),
    await errorOf(postern.withOptions({ fetch: echo }).dm.list()),
    await errorOf(postern.withOptions({ fetch: rejecting, maxRetries: 0 }).dm.list()),
  ];
  for (const value of shown) {
    const text = inspect(value, { depth: 20, showHidden: true }) + JSON.stringify(value) + String(value);
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
  expect(service.log.join('')).not.toContain('auth_token=');
});

test('has a method for each action', () => {
  const camelCase = (part: string) => part.replaceAll(/[-_](\w)/g, (_match, letter: string) => letter.toUpperCase());
  for (const { name } of [...actions, ...streams]) {
    // The stream `events` is a method, so the call below its name is beside it.
    const path = name === 'events/token' ? ['events_token'] : name.split('/');
    const found = path.reduce<unknown>((inner, part) => Object(inner)[camelCase(part)], postern);
    expect(typeof found === 'function' ? found : Object(found).get, name).toBeTypeOf('function');
  }
});

test('the types refuse unknown fields, missing fields and credentials in the input', () => {
  // The calls are compiled and never made.
  const compiled = () => {
    // @ts-expect-error The field is missing.
    void postern.tweet.detail({});
    // @ts-expect-error The name of the contract is `tweet_id`.
    void postern.tweet.detail({ tweetId: '1' });
    // @ts-expect-error Credentials are options.
    void postern.user.info({ userName: 'grace', auth_token: 'token' });
    // @ts-expect-error The input comes first.
    void postern.user.me({ signal: AbortSignal.timeout(1) });
    // @ts-expect-error There is no such type of events.
    void postern.events({ types: ['tweet.unknown'] });
  };
  expect(compiled).toBeTypeOf('function');
});
