import { describe, expect, test } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import { actions } from '../../../src/actions/registry.ts';
import { errorGuide } from '../../../src/shared/errors/guide.ts';
import { type ErrorCode, errorTable } from '../../../src/shared/errors/table.ts';
import type { Answer } from '../../support/client.ts';
import { exchange } from '../../support/raw.ts';
import { useService } from '../../support/use-service.ts';
import { answerFaults, operationOf } from './contract.ts';

const { service, ada, newCaller } = await useService({ PLATFORM_TIMEOUT_MS: '300' });

function actionNamed(name: string): Action {
  const action = actions.find((candidate) => candidate.name === name);
  if (!action) throw new Error(`no action ${name}`);
  return action;
}

/** Checks that a response matches the OpenAPI document, including its headers. */
function expectDescribed(name: string, { status, body, headers }: Answer): void {
  const action = actionNamed(name);
  expect(answerFaults(action, status, body)).toEqual([]);
  const described = Object.keys(operationOf(action).responses[status]?.headers ?? {});
  const seldom = ['idempotent-replayed', 'Preference-Applied', 'x-ignored-parameters'];
  for (const header of described) if (!seldom.includes(header)) expect(headers.get(header), header).not.toBeNull();
}

describe('responses match the document', () => {
  test.each(['Latest', 'Top'])('100 tweets at a time, %s', async (product) => {
    for (const q of ['the', 'from:ada', 'filter:media', 'filter:quote', 'filter:replies', '#tag OR @ada OR http']) {
      expectDescribed('tweet/advanced_search', await ada.get('/tweet/advanced_search', { q, product, count: '100' }));
    }
  });

  test('as long a query as the document allows reaches the platform, a longer one does not', async () => {
    const search = (length: number) => ada.get('/tweet/advanced_search', { q: 'a'.repeat(length) });
    expectDescribed('tweet/advanced_search', await search(512));
    const refused = await search(513);
    expectDescribed('tweet/advanced_search', refused);
    expect(refused.body.error).toBe('Malformed field: q: must be at most 512 characters');
  });

  test('every author of a hundred tweets', async () => {
    const found = await ada.get('/tweet/advanced_search', { q: '-xyzzy', count: '100' });
    const authors = (found.body.data['tweets'] as { author: { userName: string } }[]).map(({ author }) => author);
    for (const userName of new Set(authors.map((author) => author.userName))) {
      expectDescribed('user/info', await ada.get('/user/info', { userName }));
    }
  });

  test('a tweet, a reply, a quote, a like, and what they cost', async () => {
    const posted = await ada.post('/tweet/create', { text: 'Plainly described' });
    expectDescribed('tweet/create', posted);
    const tweet_id = String(posted.body.data['id']);
    for (const field of ['reply_to_tweet_id', 'quote_tweet_id']) {
      const answer = await ada.post('/tweet/create', { text: `Plainly, ${field}`, [field]: tweet_id });
      expectDescribed('tweet/create', answer);
    }
    expectDescribed('tweet/favorite', await ada.post('/tweet/favorite', { tweet_id }));
    expectDescribed('tweet/unlike', await ada.post('/tweet/unlike', { tweet_id }));
    for (const granularity of ['hour', 'day']) {
      expectDescribed('account/usage', await ada.get('/account/usage', { granularity }));
    }
    expectDescribed('account', await ada.get('/account'));
    expectDescribed('account/balance', await ada.get('/account/balance'));
    expectDescribed('account/payments', await ada.get('/account/payments'));
  });
});

describe('the message that the document shows is the one that the service writes', () => {
  const search = (query: Record<string, string> = {}, client = ada) =>
    client.get('/tweet/advanced_search', { q: 'hello', ...query });
  const fault = async (body: Record<string, unknown>) => {
    await service.addFault({ ...body }, { operation: 'likePost', times: 1 });
    return ada.post('/tweet/favorite', { tweet_id: '1' });
  };
  const provoke: Partial<Record<ErrorCode, [action: string, () => Promise<Answer>]>> = {
    bad_input: ['tweet/advanced_search', () => search({ count: '0' })],
    unauthenticated: ['tweet/advanced_search', () => search({}, ada.with({ key: '' }))],
    insufficient_credits: ['tweet/advanced_search', async () => search({}, (await newCaller('0')).client)],
    forbidden: ['tweet/advanced_search', () => search({}, ada.with({ authToken: 'nobody' }))],
    not_found: ['tweet/favorite', () => ada.post('/tweet/favorite', { tweet_id: '1' })],
    conflict: [
      'tweet/create',
      async () => {
        await ada.post('/tweet/create', { text: 'Once more' });
        return ada.post('/tweet/create', { text: 'Once more' });
      },
    ],
    too_large: ['tweet/create', () => ada.post('/tweet/create', { text: 'x'.repeat(1_100_000) })],
    unsupported_media_type: ['tweet/create', () => ada.post('/tweet/create', {}, { 'content-type': 'text/plain' })],
    rate_limited: ['tweet/favorite', () => fault({ kind: 'rate_limit', retry_after: 0 })],
    platform_unavailable: ['tweet/favorite', () => fault({ kind: 'status', status: 503 })],
    platform_timeout: ['tweet/favorite', () => fault({ kind: 'latency', ms: 60_000 })],
  };

  test.each(Object.entries(provoke))('%s', async (code, [action, call]) => {
    const answer = await call();
    expect(answer.status, String(answer.body.error)).toBe(errorTable[code as ErrorCode].status);
    expectDescribed(action, answer);
    expect(answer.body.error).toBe(errorGuide[code as ErrorCode].example);
  });

  test('headers_too_large', async () => {
    const request = `GET /v1/account HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`;
    const { answers } = await exchange(service.origin, request);
    expect(answers[0]?.status).toBe(431);
    const body: unknown = JSON.parse(answers[0]?.body ?? '');
    expect(answerFaults(actionNamed('account'), 431, body)).toEqual([]);
    expect(body).toMatchObject({ error: errorGuide.headers_too_large.example });
  });
});
