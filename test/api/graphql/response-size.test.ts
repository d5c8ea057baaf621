import fc from 'fast-check';
import { getOperationAST, getVariableValues, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { quote } from '../../../src/api/graphql/document/quote.ts';
import { fragmentsOf } from '../../../src/api/graphql/document/selection.ts';
import { schema } from '../../../src/api/graphql/schema/schema.ts';
import { globalId, useCallCounts } from './call-count-fixture.ts';
import { documents } from './random-documents.ts';

/** The default of `GRAPHQL_MAX_RESPONSE_BYTES`. */
const bytesLimit = 2 * 1024 * 1024;
const hashtags = '#a #b #c #d '.repeat(22).trim();

const fixture = await useCallCounts();
const small = await useCallCounts({ GRAPHQL_MAX_RESPONSE_BYTES: '100000' });
const taggedId = await small.post(small.ada.options.authToken ?? '', hashtags);

const aliased = (times: number, field: string, prefix = 'a') =>
  Array.from({ length: times }, (_, i) => `${prefix}${i}: ${field}`).join(' ');
const tags = `${aliased(60, 'entities { hashtags { text indices } }')}`;

function bytesOf(document: string, variables: Record<string, unknown> = {}): number {
  const parsed = parse(document);
  const operation = getOperationAST(parsed) as OperationDefinitionNode;
  const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  const scope = { schema, fragments: fragmentsOf(parsed), variables: coerced };
  return quote(scope, operation, () => {}).bytes;
}

describe('a request whose response could be too large is refused before anything runs', () => {
  test.each([
    [
      'aliases of one article',
      `{ ${aliased(40, 'article(articleId: "1") { ...C }')} } fragment C on Article { ${aliased(23, 'content', 'c')} }`,
    ],
    [
      'lists in lists with aliases',
      `{ viewer { followers(first: 30) { nodes { tweets(first: 100) { nodes { ${aliased(30, 'text')} } } } } } }`,
    ],
    ['one list with many articles', '{ articles(first: 100) { nodes { a: content b: content } } }'],
    [
      'the articles that mutations wrote',
      `mutation { ${aliased(2, 'publishArticle(input: { articleId: "1" }) { article { ...C } }')} }
       fragment C on Article { ${aliased(23, 'content', 'c')} }`,
    ],
  ])('%s', async (_name, document) => {
    for (const headers of [{}, { 'x-cost-only': '1' }] as Record<string, string>[]) {
      const [answer, asked] = await fixture.sandbox.requestsDuring(() => fixture.ada.ask(document, {}, headers));
      expect(answer).toMatchObject({ status: 400, data: null });
      expect(answer.errors[0]?.extensions).toMatchObject({ code: 'TOO_COSTLY', status: 400 });
      const message = /^Too large: the response could have about \d+ bytes, and the limit is \d+\./;
      expect(answer.errors[0]?.message).toMatch(message);
      expect(asked).toEqual({});
      expect(answer.extensions.credits.charged).toBe('0');
    }
  });

  test('and large ordinary queries are not', () => {
    const tweet = 'tweetId text createdAt likeCount author { userName name profilePicture followersCount }';
    const followers = `{ viewer { followers(first: 100) { nodes { userName tweets(first: 20) { nodes { ${tweet} } pageInfo { endCursor } } } } } }`;
    expect(bytesOf(followers)).toBeLessThan(bytesLimit);
    expect(bytesOf('{ articles(first: 20) { nodes { title content } } }')).toBeLessThan(bytesLimit);
  });

  test.each([
    ['fields', 'isReply', 42_000],
    ['objects', 'author { canDm }', 21_000],
    ['fields that may make a call', 'inReplyTo { id }', 7_000],
  ])('counts %s by the time that they take', (_name, field, most) => {
    const times = Math.ceil(most / 100 / 20);
    const fields = `{ ${aliased(20, `searchTweets(q: "a", first: 100) { nodes { ${aliased(times, field)} } }`, 's')} }`;
    expect(bytesOf(fields)).toBeGreaterThan(bytesLimit);
  });
});

describe('a response that turns out too large', () => {
  test('is not sent, and the calls that ran are charged', async () => {
    const answer = await small.ada.ask(`{ tweet(tweetId: "${taggedId}") { ${tags} } }`);
    expect(answer).toMatchObject({ status: 400, data: null });
    expect(answer.errors[0]?.extensions).toMatchObject({ code: 'TOO_COSTLY', status: 400 });
    const actions = [{ name: 'tweet/detail', calls: 1 }];
    expect(answer.extensions.credits).toMatchObject({ charged: '0.001', actions });
  });

  test('of long texts is not sent either', async () => {
    const id = await small.post(small.ada.options.authToken ?? '', 'long '.repeat(600).trim());
    const answer = await small.ada.ask(`{ tweet(tweetId: "${id}") { ${aliased(98, 'text')} } }`);
    expect(answer).toMatchObject({ status: 400, data: null, extensions: { credits: { charged: '0.001' } } });
    expect(answer.errors[0]?.message).toMatch(/^Too large: the response has more than 100000 bytes/);
  });

  test.each([
    ['lists', tags, `${hashtags} 1`, '0.002'],
    ['long texts', aliased(98, 'text'), 'longer '.repeat(500).trim(), '0.001'],
  ])(
    'of a mutation tells what was done, and leaves out what was to be read: %s',
    async (_name, fields, text, charged) => {
      const mutation = `mutation ($text: String!) { createTweet(input: { text: $text }) { id tweet { id ${fields} } } }`;
      const headers = { 'idempotency-key': `size-${text.length}` };
      const first = await small.ada.ask(mutation, { text }, headers);
      expect(first).toMatchObject({
        status: 200,
        data: { createTweet: { id: expect.stringMatching(/^\d+$/), tweet: null } },
        extensions: { credits: { charged } },
      });
      expect(first.errors[0]).toMatchObject({ extensions: { code: 'TOO_COSTLY' } });
      expect(first.errors[0]?.path?.slice(0, 2)).toEqual(['createTweet', 'tweet']);
      const again = await small.ada.ask(mutation, { text }, headers);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.data).toEqual(first.data);
      expect(again.errors).toEqual(first.errors);
    },
  );
});

describe('the response of a mutation', () => {
  test('has its data if only the extensions make it too large', async () => {
    const mutation = `mutation ($text: String!) { createTweet(input: { text: $text }) { id tweet { ${aliased(98, 'text')} } } }`;
    const bytesWith = ({ data }: { data: unknown }) => JSON.stringify({ data }).length;
    const short = 'z'.repeat(900);
    const left = 100_000 - bytesWith(await small.ada.ask(mutation, { text: short }));
    const answer = await small.ada.ask(mutation, { text: `${short}${'z'.repeat(Math.floor(left / 98))}` });
    expect(bytesWith(answer)).toBeGreaterThan(100_000 - 98);
    expect(answer).toMatchObject({ status: 200, data: { createTweet: { id: expect.stringMatching(/^\d+$/) } } });
    expect(answer.errors).toEqual([]);
  });
});

describe('errors', () => {
  const wrong = Array.from({ length: 100 }, (_, i) => `nonsense ${i}`);

  test('are limited in number, and the rest is counted', async () => {
    const query = `query ($ids: [ID!]!) { ${aliased(98, 'nodes(ids: $ids) { id }')} }`;
    const answer = await fixture.ada.ask(query, { ids: wrong });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.data)).toHaveLength(98);
    expect(answer.errors).toHaveLength(201);
    expect(answer.errors.at(-1)).toMatchObject({
      message: 'Too many errors: 9600 more are left out',
      extensions: { code: 'TOO_COSTLY' },
    });
  });

  test('of items of a list stay in their places, on every use of the document', async () => {
    const query = 'query Places ($ids: [ID!]!) { viewer { userName } nodes(ids: $ids) { id } }';
    const list = globalId('List', '1');
    const ids = ['nonsense', list, globalId('Tweet', '1'), list];
    for (let i = 0; i < 8; i++) {
      const { data } = await fixture.ada.ask(query, { ids });
      expect(data.nodes).toEqual([null, { id: list }, null, { id: list }]);
    }
  });
});

describe('the estimate', () => {
  test('is not far below what is sent, whatever the document', async () => {
    const variables = {
      tweetId: '1',
      userId: fixture.graceId,
      listId: fixture.service.demo.listId,
      ids: [globalId('User', fixture.graceId), globalId('List', '1')],
      yes: true,
      no: false,
    };
    await fc.assert(
      fc.asyncProperty(documents, async (document) => {
        const used = Object.fromEntries(Object.entries(variables).filter(([name]) => document.includes(`$${name}:`)));
        const { data, errors } = await fixture.ada.ask(document, used);
        if (data === null) return;
        const bytes = Buffer.byteLength(JSON.stringify({ data, errors }));
        expect(bytes).toBeLessThan(2 * bytesOf(document, used) + 1_000 * (errors.length + 1));
      }),
      { numRuns: 30 },
    );
  });
});
