import { describe, expect, test } from 'vitest';
import { expectRefusal, restingBalance } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { service, sandbox, ada, grace, linus } = await useService();

/** Checks that `refused` costs nothing. */
async function free(refused: () => Promise<void>): Promise<void> {
  const before = await restingBalance(ada);
  await refused();
  expect(await restingBalance(ada)).toBe(before);
}

describe('refusals of the platform are returned with their reason and cost nothing', () => {
  test('no such tweet: 404 that names it', () =>
    free(async () => {
      for (const path of ['/tweet/favorite', '/tweet/unlike']) {
        expectRefusal(await ada.post(path, { tweet_id: '12' }), 404, 'Tweet not found: 12');
      }
      const missing = '99999999999999999999';
      const error = `Tweet not found: ${missing}`;
      expectRefusal(await ada.post('/tweet/create', { text: 'a', reply_to_tweet_id: missing }), 404, error);
      expectRefusal(await ada.post('/tweet/create', { text: 'a', quote_tweet_id: missing }), 404, error);
      const quote_tweet_url = `https://x.com/status/status/${missing}?s=20`;
      expectRefusal(await ada.post('/tweet/create', { text: 'a', quote_tweet_url }), 404, error);
    }));

  test('no such user: 404 that names it', () =>
    free(async () => {
      expectRefusal(await ada.get('/user/info', { userName: 'nobody_here' }), 404, 'User not found: nobody_here');
      expectRefusal(await ada.get('/user/info', { userName: '@nobody_here' }), 404, 'User not found: nobody_here');
      expectRefusal(await ada.get('/user/info', { userId: '1' }), 404, 'User not found: 1');
      expectRefusal(await ada.get('/user/info', { userId: '1', userName: 'ada' }), 404, 'User not found: 1');
    }));

  test('a suspended user: 403; a deleted one: 404', () =>
    free(async () => {
      expectRefusal(await ada.get('/user/info', { userName: 'quickgains' }), 403, /suspended/);
      expectRefusal(await ada.get('/user/info', { userName: 'oldlantern' }), 404, 'User not found: oldlantern');
    }));

  test('a tweet of a protected account: 403 to who does not follow it', async () => {
    const found = await linus.get('/tweet/advanced_search', { q: 'from:linus', count: '1' });
    const [tweet] = found.body.data['tweets'] as { id: string }[];
    const id = String(tweet?.id);
    await free(async () => {
      expectRefusal(await ada.post('/tweet/favorite', { tweet_id: id }), 403, /not authorized to see the tweet/);
      for (const field of ['reply_to_tweet_id', 'quote_tweet_id']) {
        expectRefusal(
          await ada.post('/tweet/create', { text: 'a', [field]: id }),
          403,
          /not authorized to see the tweet/,
        );
      }
    });
    expect((await ada.get('/user/info', { userName: 'linus' })).body.data).toMatchObject({ protected: true });
    expect((await ada.get('/tweet/advanced_search', { q: 'from:linus' })).body.data['tweet_count']).toBe(0);
  });

  test.each([
    ['That tweet was deleted', 404, /^Tweet not found: 77$/],
    ['That author is suspended', 403, /suspended/],
    ['That author blocked you', 403, /blocked/],
  ])('%s where a tweet was named: %i', async (message, status, error) => {
    await free(async () => {
      for (const call of [
        () => ada.post('/tweet/favorite', { tweet_id: '77' }),
        () => ada.post('/tweet/create', { text: 'b', reply_to_tweet_id: '77' }),
        () => ada.post('/tweet/create', { text: 'b', quote_tweet_id: '77' }),
      ]) {
        await service.addFault({ kind: 'status', status, message });
        expectRefusal(await call(), status, error);
      }
    });
  });

  test('the same tweet again: 409', async () => {
    expect((await ada.post('/tweet/create', { text: 'Once and only once' })).status).toBe(200);
    await free(async () => {
      const answer = await ada.post('/tweet/create', { text: 'Once and only once' });
      expectRefusal(answer, 409, 'Status is a duplicate.');
    });
    expect((await grace.post('/tweet/create', { text: 'Once and only once' })).status).toBe(200);
    expect((await sandbox.tweets()).filter((text) => text === 'Once and only once')).toHaveLength(2);
  });
});

describe('the length of a tweet', () => {
  const cases: [string, string, string][] = [
    ['letters', 'a'.repeat(280), 'a'.repeat(281)],
    ['emoji, two each', '😀'.repeat(140), '😀'.repeat(141)],
    ['Japanese, two each', 'あ'.repeat(140), 'あ'.repeat(141)],
    [
      'an address, 23 whatever its length',
      `${'b'.repeat(256)} https://a.example/${'x'.repeat(300)}`,
      `${'b'.repeat(257)} https://a.example/`,
    ],
  ];
  test.each(cases)('is 280 at most, weighted: %s', async (_name, fits, tooLong) => {
    await free(async () => {
      expectRefusal(await grace.post('/tweet/create', { text: tooLong }), 400, /^Malformed field: text: /);
    });
    expect((await grace.post('/tweet/create', { text: fits })).status).toBe(200);
  });

  test('is 25,000 for a premium account', async () => {
    expect((await ada.post('/tweet/create', { text: 'c'.repeat(25_000) })).status).toBe(200);
    await free(async () => {
      expectRefusal(await ada.post('/tweet/create', { text: 'c'.repeat(25_001) }), 400, /^Malformed field: text: /);
    });
  });
});

describe('a search', () => {
  test.each([
    ['colour:red', 'colour'],
    ['tea min_shares:3', 'min_shares'],
    ['-mood:good tea', 'mood'],
    ['filter:nonsense', 'filter:nonsense'],
  ])('with an unknown operator is 400 that names it: %s', (q, operator) =>
    free(async () => {
      const error = `Malformed field: q: unknown search operator: ${operator}`;
      expectRefusal(await ada.get('/tweet/advanced_search', { q }), 400, error);
    }),
  );

  test.each([
    'since:yesterday',
    'until:2026-02-30',
    'tea OR since:2026-11-01',
    'from:',
    'from:a-b',
    ' ',
    '"',
    '()',
    'x'.repeat(600),
  ])('that makes no sense is 400 that names the field: %j', (q) =>
    free(async () => expectRefusal(await ada.get('/tweet/advanced_search', { q }), 400, /^M.* field: q/)),
  );
});
