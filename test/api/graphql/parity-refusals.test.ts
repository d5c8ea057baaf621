import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import { actions } from '../../../src/actions/registry.ts';
import { restingBalance } from '../../support/refusal.ts';
import { oneOfEachKind } from '../../support/repetitions.ts';
import { everyRequestOf } from '../../support/sandbox-control.ts';
import { expectSameRefusal as checkRefusal } from './parity-checks.ts';
import { rows } from './parity-rows.ts';
import { knowChatKeys, startSandboxParity } from './parity-sandbox.ts';

const fixture = await startSandboxParity({ PLATFORM_TIMEOUT_MS: '500' });
const apiClients = await fixture.apiClients('10');
await apiClients.target.hook.register();
await knowChatKeys(fixture, apiClients);
beforeEach(() => fixture.platform.sandbox.clearFaults());
afterAll(() => fixture.stop());

type Input = Record<string, unknown>;

const expectSameRefusal = (action: Action, input: Input, status: number, by = apiClients, headers = {}) =>
  checkRefusal(by, action, input, status, headers);

const inputOf = (action: Action) => fixture.inputFor(action, apiClients.target);
const named = (list: readonly Action[]) => list.map((action) => [action.name, action] as const);

describe.each(named(oneOfEachKind(actions)))('%s', (_name, action) => {
  test('is refused alike without a key, and with one that nobody has', async () => {
    for (const key of ['', 'pstn_made_up']) {
      const answer = await expectSameRefusal(action, await inputOf(action), 401, apiClients.with({ key }));
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.extensions).toMatchObject({ cost: { actual: '0' }, credits: { charged: '0', remaining: null } });
    }
  });
});

/** Ids and names that do not exist, and values that are not ids or names. */
function wrongInputs(
  example: Readonly<Input>,
  paged: Action['paged'],
): readonly (readonly [input: Input, status: number])[] {
  const wrong: (readonly [Input, number])[] = [];
  const put = (changes: Input, status: number) => wrong.push([{ ...example, ...changes }, status]);
  const without = (name: string) => {
    const { [name]: _left, ...rest } = example;
    wrong.push([rest, 400]);
  };
  for (const name of ['tweet_id', 'listId', 'article_id'].filter((name) => name in example)) {
    put({ [name]: '1' }, 404);
    for (const malformed of ['abc', '', '1'.repeat(65), '1/../2']) put({ [name]: malformed }, 400);
    without(name);
  }
  for (const name of ['userName', 'user_name', 'username'].filter((name) => name in example)) {
    put({ [name]: 'nobody_here' }, 404);
    put({ [name]: 'quickgains' }, 403);
    put({ [name]: 'oldlantern' }, 404);
    for (const malformed of ['not a name', '', '../ada', '@']) put({ [name]: malformed }, 400);
    put({ [name.includes('_') || name === 'username' ? 'user_id' : 'userId']: '1' }, 404);
    without(name);
  }
  if ('id' in example) {
    put({ id: 'wh_made_up' }, 404);
    put({ id: 'x'.repeat(65) }, 400);
  }
  if ('url' in example) {
    for (const url of ['', 'ftp://localhost/', 'http://example.com/', 'https://127.0.0.1/', 'x'.repeat(201)]) {
      put({ url }, 400);
    }
    put({ secret: 'too short' }, 400);
    without('url');
  }
  if ('events' in example) {
    for (const events of [[], ['tweet.nothing']]) put({ events }, 400);
  }
  if ('count' in example) {
    for (const count of [0, -1, 101]) put({ count }, 400);
    put({ count: 1.5 }, 400);
    if (paged === true) for (const cursor of ['', 'made-up']) put({ cursor }, 400);
  }
  return wrong;
}

const checked = oneOfEachKind(actions.filter(({ example, paged }) => wrongInputs(example, paged).length > 0));

test.each(named(checked))('%s is refused alike for wrong input and for what does not exist', async (_name, action) => {
  for (const [input, status] of wrongInputs(await inputOf(action), action.paged)) {
    await expectSameRefusal(action, input, status);
  }
});

/** Free actions send no request to the platform. */
const onPlatform = oneOfEachKind(actions.filter(({ actor, price }) => actor && price > 0));

describe.each(named(onPlatform))('%s', (_name, action) => {
  test('is refused alike without an actor, with one whom the platform rejects, by a bad proxy, and without credit', async () => {
    const input = await inputOf(action);
    await expectSameRefusal(action, input, 400, apiClients.with({ authToken: '' }));
    await expectSameRefusal(action, input, 403, apiClients.with({ authToken: 'nobody' }));
    await expectSameRefusal(action, input, 400, apiClients, { 'x-proxy': 'socks5://127.0.0.1:1080' });
    const answer = await expectSameRefusal(action, input, 402, await fixture.apiClients('0'));
    expect(answer.errors[0]?.message).toContain(`the request needs ${answer.extensions.cost.quoted} dollars`);
  });

  test.each([
    [{ kind: 'status', status: 500 }, 502],
    [{ kind: 'rate_limit', retry_after: 0 }, 429],
    [{ kind: 'nonsense' }, 502],
    [{ kind: 'hang' }, 504],
  ] as const)('fails alike on a platform fault %o', async (fault, status) => {
    // The gateway forgets chat keys that were not used for five minutes.
    if (action.code !== 'none') await knowChatKeys(fixture, apiClients);
    await fixture.platform.service.addFault(fault, everyRequestOf(action));
    await expectSameRefusal(action, await inputOf(action), status);
  });
});

test.each([
  ['tweet/create', { text: '' }, 400],
  ['tweet/create', { text: 'x'.repeat(25_001) }, 400],
  ['tweet/create', { text: 'half \ud800 a pair' }, 400],
  ['tweet/create', { text: 'To nobody', reply_to_tweet_id: '1' }, 404],
  ['tweet/create', { text: 'Of nothing', quote_tweet_id: '1' }, 404],
  ['tweet/create', { text: 'Both', quote_tweet_id: '1', quote_tweet_url: 'https://p.example/a/status/1' }, 400],
  ['tweet/create', { text: 'With a picture', media_ids: ['1'] }, 404],
  ['tweet/create', { text: 'What the parity of two faces is shown by' }, 409],
  ['article/create', { title: '', content: 'x' }, 400],
  ['article/create', { title: 'x'.repeat(101), content: 'x' }, 400],
  ['article/create', { title: 'On looms', content: '> '.repeat(50) }, 400],
  ['article/create', { title: 'On looms', content: 'x', cover_media_id: '1' }, 404],
  ['article/update', { article_id: '1' }, 400],
  ['article/list', { status: 'lost' }, 400],
  ['tweet/advanced_search', { q: '' }, 400],
  ['tweet/advanced_search', { q: 'x'.repeat(513) }, 400],
  ['tweet/advanced_search', { q: 'nonsense:operator' }, 400],
  ['tweet/advanced_search', { q: 'boats', product: 'Newest' }, 400],
  ['account/usage', { from: 'yesterday' }, 400],
  ['account/usage', { granularity: 'week' }, 400],
  ['user/tweets_and_replies', { userName: 'linus' }, 403],
] as const)('%s of %o is refused alike', async (name, input, status) => {
  const action = actions.find((each) => each.name === name) as Action;
  await expectSameRefusal(action, input, status);
});

test('what fails of a list beside its owner leaves the owner, and its charge', async () => {
  await knowChatKeys(fixture, apiClients);
  const actor = fixture.platform.service.demo.accounts[0].userId;
  for (const action of onPlatform.filter(({ name }) => (rows[name]?.beside.length ?? 0) > 0)) {
    const input = await inputOf(action);
    const [, asked] = await fixture.platform.sandbox.requestsDuring(() => apiClients.rest(action, input));
    // The poller of the webhook may have made a request too, so all operations get the fault. It is for the actor of reads only.
    for (const operation of Object.keys(asked)) {
      // GraphQL looks up the owner by id.
      const byId = operation.replace('ByUsername', 'ById');
      await fixture.platform.service.addFault({ kind: 'status', status: 500 }, { operation: byId, actor, times: null });
    }
    const answer = await apiClients.graphql(action, input);
    expect(answer.errors[0]).toMatchObject({ extensions: { code: 'PLATFORM_UNAVAILABLE', status: 502 } });
    expect(answer.extensions.credits).toMatchObject({ charged: '0.001' });
    expect(answer.others(action)).toEqual([{ name: rows[action.name]?.beside[0], calls: 1, charged: '0.001' }]);
    await fixture.platform.sandbox.clearFaults();
  }
});

test('none of the refusals has left credit held', async () => {
  expect(Number(await restingBalance(apiClients.client))).toBeLessThan(10);
});
