import { beforeEach, describe, expect, test } from 'vitest';
import type { GraphqlAnswer, GraphqlClient } from '../../support/graphql.ts';
import { restingBalance } from '../../support/refusal.ts';
import { useCallCounts } from './call-count-fixture.ts';

let count = 0;

const fixture = await useCallCounts({ PLATFORM_TIMEOUT_MS: '1000' });
beforeEach(() => fixture.sandbox.clearFaults());

const { newCaller: caller } = fixture;
const newKey = () => `key-${++count}`;
const newText = () => `An idempotent mutation, number ${++count}`;
const document = 'mutation Post($text: String!) { createTweet(input: { text: $text }) { id text createdAt } }';
const post = (by: GraphqlClient, key: string, text: string) => by.ask(document, { text }, { 'idempotency-key': key });
const timesPosted = async (text: string) => (await fixture.sandbox.tweets()).filter((posted) => posted === text).length;

function expectReplay(answer: GraphqlAnswer, first: GraphqlAnswer): void {
  expect(answer.status).toBe(first.status);
  expect({ data: answer.data, errors: answer.errors }).toEqual({ data: first.data, errors: first.errors });
  expect(answer.headers.get('idempotent-replayed')).toBe('true');
  expect(answer.headers.get('x-credits-charged')).toBeNull();
  expect(answer.headers.get('x-credits-remaining')).toBeNull();
  expect(answer.extensions).toMatchObject({ cost: { actual: '0' }, credits: { charged: '0', actions: [] } });
}

describe('the same mutation with the same Idempotency-Key', () => {
  test('gets the first answer again, and is performed and billed once', async () => {
    const { graphql, rest } = await caller();
    const [key, text] = [newKey(), newText()];
    const first = await post(graphql, key, text);
    expect(first.errors).toEqual([]);
    expect(first.headers.get('x-credits-charged')).toBe('0.001');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    for (let i = 0; i < 3; i++) expectReplay(await post(graphql, key, text), first);
    expect(await timesPosted(text)).toBe(1);
    expect(await restingBalance(rest)).toBe('0.999');
  });

  test('equals one with null for absent fields, unless null is a value', async () => {
    const { graphql } = await caller();
    const [key, text] = [newKey(), newText()];
    const headers = { 'idempotency-key': key };
    const create = 'mutation ($input: CreateTweetInput!) { createTweet(input: $input) { id } }';
    const first = await graphql.ask(create, { input: { text, mediaAltTexts: [] } }, headers);
    expectReplay(await graphql.ask(create, { input: { text, mediaAltTexts: [], langs: null } }, headers), first);
    const withoutTexts = await graphql.ask(create, { input: { text: newText(), mediaAltTexts: [null] } });
    expect(withoutTexts.errors).toEqual([]);

    const update = 'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { lowCreditThreshold } }';
    const other = { 'idempotency-key': newKey() };
    await graphql.ask(update, { input: { lowCreditThreshold: null } }, other);
    expect((await graphql.ask(update, { input: {} }, other)).status).toBe(422);
  });

  test('sent 20 times at once makes one tweet and one charge; the others get its answer or a conflict', async () => {
    const { graphql, rest } = await caller();
    const [key, text] = [newKey(), newText()];
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(graphql, key, text)));
    const paid = answers.filter((answer) => answer.headers.get('x-credits-charged') === '0.001');
    expect(paid).toHaveLength(1);
    for (const answer of answers) {
      if (answer === paid[0]) continue;
      if (answer.status === 200) expectReplay(answer, paid[0] as GraphqlAnswer);
      else {
        const errors = [{ extensions: { code: 'CONFLICT', status: 409 } }];
        expect(answer).toMatchObject({ status: 409, data: null, errors });
        expect(answer.headers.get('retry-after')).toBe('1');
        expect(answer.extensions.credits.charged).toBe('0');
      }
    }
    expect(await timesPosted(text)).toBe(1);
    expect(await restingBalance(rest)).toBe('0.999');
  });

  test('gets the same answer again after a partial failure, which is not tried again', async () => {
    const { graphql, rest } = await caller();
    const [key, text] = [newKey(), newText()];
    await fixture.service.addFault({ kind: 'status', status: 500 }, { operation: 'followUser' });
    const both = `mutation ($text: String!) {
      createTweet(input: { text: $text }) { id } followUser(input: { userId: "${fixture.graceId}" }) { following }
    }`;
    const ask = () => graphql.ask(both, { text }, { 'idempotency-key': key });
    const first = await ask();
    expect(first.data).toMatchObject({ createTweet: { id: expect.any(String) }, followUser: null });
    expect(first.errors).toMatchObject([{ path: ['followUser'], extensions: { code: 'PLATFORM_UNAVAILABLE' } }]);
    const [, asked] = await fixture.sandbox.requestsDuring(async () => {
      for (let i = 0; i < 2; i++) expectReplay(await ask(), first);
    });
    expect(asked).toEqual({});
    expect(await restingBalance(rest)).toBe('0.999');
  });

  test('gets the first answer again if only its free part succeeded', async () => {
    const { graphql, rest } = await caller();
    const mixed = `mutation {
      likeTweet(input: { tweetId: "1" }) { liked }
      createApiKey(input: { name: "Beside a refusal" }) { apiKeyId key }
    }`;
    const key = { 'idempotency-key': newKey() };
    const first = await graphql.ask(mixed, {}, key);
    expect(first).toMatchObject({
      status: 200,
      data: { likeTweet: null, createApiKey: { key: expect.stringMatching(/^pstn_/) } },
      errors: [{ path: ['likeTweet'], extensions: { code: 'NOT_FOUND' } }],
    });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expectReplay(await graphql.ask(mixed, {}, key), first);
    expect(await restingBalance(rest)).toBe('1');
  });

  test('gets the same refusal of the platform again, without a charge', async () => {
    const { graphql, rest } = await caller();
    const key = newKey();
    const like = () =>
      graphql.ask('mutation { likeTweet(input: { tweetId: "1" }) { liked } }', {}, { 'idempotency-key': key });
    const first = await like();
    expect(first.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    const [again, asked] = await fixture.sandbox.requestsDuring(like);
    expectReplay(again, first);
    expect(asked).toEqual({});
    expect(await restingBalance(rest)).toBe('1');
  });

  test('is performed again by the same token where nobody knew the outcome', async () => {
    const { graphql, rest } = await caller();
    const [key, text] = [newKey(), newText()];
    await fixture.service.addFault({ kind: 'reset_after' }, { operation: 'createPosts' });
    expect((await post(graphql, key, text)).errors).toMatchObject([{ extensions: { code: 'PLATFORM_UNAVAILABLE' } }]);
    const again = await post(graphql, key, text);
    expect(again.errors).toEqual([]);
    expect(again.headers.get('x-credits-charged')).toBe('0.001');
    expectReplay(await post(graphql, key, text), again);
    expect(await timesPosted(text)).toBe(1);
    expect(await restingBalance(rest)).toBe('0.999');
  });

  test('frees its key when it is refused before the platform is asked', async () => {
    const { graphql } = await caller('0.001');
    const key = newKey();
    expect((await post(graphql, key, '')).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect((await post(graphql, newKey(), newText())).errors).toEqual([]);
    // Another request with the same key succeeds each time, because refusals are not stored.
    expect((await post(graphql, key, newText())).status).toBe(402);
    expect((await post(graphql, key, newText())).status).toBe(402);
  });

  test('needs no credit when it is repeated', async () => {
    const { graphql } = await caller('0.001');
    const [key, text] = [newKey(), newText()];
    const first = await post(graphql, key, text);
    expectReplay(await post(graphql, key, text), first);
    expect((await post(graphql, newKey(), newText())).status).toBe(402);
  });
});

describe('an Idempotency-Key', () => {
  test('is refused for another request: variables, document, actor, or over REST', async () => {
    const { graphql, rest } = await caller();
    const { authToken } = await fixture.sandbox.mint();
    const [key, text] = [newKey(), newText()];
    const first = await post(graphql, key, text);
    const errors = [{ extensions: { code: 'IDEMPOTENCY_MISMATCH', status: 422 } }];
    const mismatch = { status: 422, data: null, errors };
    expect(await post(graphql, key, newText())).toMatchObject(mismatch);
    expect(await graphql.ask(`${document} `, { text }, { 'idempotency-key': key })).toMatchObject(mismatch);
    expect(await post(graphql.with({ authToken }), key, text)).toMatchObject(mismatch);
    expect((await rest.post('/tweet/create', { text }, { 'idempotency-key': key })).status).toBe(422);
    expectReplay(await post(graphql, key, text), first);
    expect(await restingBalance(rest)).toBe('0.999');
  });

  test('is the account’s own, and must be printable', async () => {
    const [one, other] = [await caller(), await caller()];
    const key = newKey();
    expect((await post(one.graphql, key, newText())).errors).toEqual([]);
    expect((await post(other.graphql, key, newText())).headers.get('x-credits-charged')).toBe('0.001');
    const answer = await post(one.graphql, 'x'.repeat(256), newText());
    expect(answer).toMatchObject({ status: 400, errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  });

  test('means nothing on a query', async () => {
    const { graphql } = await caller();
    for (let i = 0; i < 2; i++) {
      const answer = await graphql.ask('{ viewer { name } }', {}, { 'idempotency-key': 'a key' });
      expect(answer.headers.get('x-credits-charged')).toBe('0.001');
    }
  });
});

test('a response of a mutation over 256 KiB keeps only the ids, and the same request is refused with 409', async () => {
  const { key } = await fixture.service.makeAccount('1');
  const graphql = fixture.ada.with({ key });
  const copies = Array.from({ length: 40 }, (_, i) => `c${i}: text`).join(' ');
  const mutation = `mutation ($text: String!) { createTweet(input: { text: $text }) { id tweet { ${copies} } } }`;
  const variables = { text: `${newText()} ${'long '.repeat(2_000)}`.trim() };
  const headers = { 'idempotency-key': newKey() };
  const first = await graphql.ask(mutation, variables, headers);
  expect(first.errors).toEqual([]);
  expect(JSON.stringify(first.data).length).toBeGreaterThan(256 * 1_024);
  const [again, asked] = await fixture.sandbox.requestsDuring(() => graphql.ask(mutation, variables, headers));
  const { createTweet } = first.data as { createTweet: { id: string } };
  const ids = [{ action: 'tweet/create', id: createTweet.id }];
  const errors = [{ extensions: { code: 'CONFLICT', status: 409, ids } }];
  expect(again).toMatchObject({ status: 409, data: null, errors, extensions: { credits: { charged: '0' } } });
  expect(again.errors[0]?.message).toMatch(/^outcome known: /);
  expect(again.headers.get('x-outcome-ids')).toBe(JSON.stringify(ids));
  expect(asked).toEqual({});
});
