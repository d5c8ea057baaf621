import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

let quotes = 0;

const { ada, newCaller } = await useService({ RATE_LIMIT: '0' });
const found = await ada.get('/tweet/advanced_search', { q: 'from:grace', count: '1' });
const [target] = found.body.data['tweets'] as [{ id: string; url: string; platformUrl: string }];

/** Replaces `ID` by the id of the quoted tweet and `SANDBOX` by the sandbox's host and port. */
const filled = (form: string) => form.replace('ID', target.id).replace('SANDBOX', new URL(target.url).host);

describe('quote_tweet_url', () => {
  test.each([
    'https://x.com/grace/status/ID',
    'https://x.com/i/web/status/ID',
    'https://x.com/i/status/ID',
    'http://x.com/grace/status/ID',
    'https://twitter.com/grace/status/ID',
    'https://twitter.com/grace/statuses/ID',
    'https://twitter.com/i/web/status/ID',
    'https://www.x.com/grace/status/ID',
    'https://www.twitter.com/grace/status/ID',
    'https://mobile.x.com/grace/status/ID',
    'https://mobile.twitter.com/grace/status/ID',
    'https://m.twitter.com/grace/status/ID',
    'x.com/grace/status/ID',
    'www.twitter.com/grace/status/ID',
    'HTTPS://X.COM/Grace/status/ID',
    'https://Mobile.Twitter.com/grace/status/ID',
    'https://x.com/grace/status/ID?s=46&t=aZ09_-%20',
    'https://x.com/grace/status/ID#m',
    'https://x.com/grace/status/ID?s=20#m',
    'https://x.com/grace/status/ID/',
    'https://x.com/grace/status/ID/photo/1',
    'https://x.com/grace/status/ID/photo/1?s=20',
    'https://x.com/grace/status/ID/video/1/',
    'http://SANDBOX/grace/status/ID',
    'SANDBOX/grace/status/ID',
    'http://localhost:4001/grace/status/ID',
    'http://[::1]:4001/grace/status/ID',
  ])('accepts %s', async (form) => {
    const text = `Quoted by form ${++quotes}`;
    const posted = await ada.post('/tweet/create', { text, quote_tweet_url: filled(form) });
    expect(posted.body.error).toBeNull();
    const { body } = await ada.get('/tweet/detail', { tweet_id: String(posted.body.data['id']) });
    expect(body.data).toMatchObject({ quoted_tweet: { id: target.id } });
  });

  test('accepts `url` and `platformUrl` of a tweet as they are', async () => {
    for (const field of ['url', 'platformUrl'] as const) {
      const posted = await ada.post('/tweet/create', { text: `Quoted by ${field}`, quote_tweet_url: target[field] });
      expect(posted.body.error).toBeNull();
    }
  });

  test.each([
    'https://platform.example/grace/status/ID',
    'https://x.com.evil.example/grace/status/ID',
    'https://evil-x.com/grace/status/ID',
    'https://notx.com/grace/status/ID',
    'https://x.co/grace/status/ID',
    'https://pics.x.com/grace/status/ID',
    'https://www.mobile.x.com/grace/status/ID',
    'https://127.0.0.1.evil.example/grace/status/ID',
    'https://localhost.evil.example/grace/status/ID',
    'https://\u0445.com/grace/status/ID',
    'https://x\u3002com/grace/status/ID',
    'https://x.com:8443/grace/status/ID',
    'https://grace@x.com/grace/status/ID',
    'https://grace:secret@x.com/grace/status/ID',
    'https://x.com@evil.example/grace/status/ID',
    'https://x.com:80@evil.example/grace/status/ID',
    'https://evil.example/https://x.com/grace/status/ID',
    'https://evil.example\\@x.com/grace/status/ID',
    'https://evil.example?x.com/grace/status/ID',
    'https://evil.example#x.com/grace/status/ID',
    'https://x.com/grace/status/',
    'https://x.com/grace/status/latest',
    'https://x.com/grace/status/ID1234567890123456789',
    'https://x.com/grace/status/IDabc',
    'https://x.com/grace/status/-1',
    'https://x.com/grace',
    'https://x.com/',
    'https://x.com/status/ID',
    'https://x.com/grace/lists/ID',
    'https://x.com/search?q=/grace/status/ID',
    'https://x.com/grace/likes#/grace/status/ID',
    '//x.com/grace/status/ID',
    'grace/status/ID',
    '/grace/status/ID',
    'ID',
    'ftp://x.com/grace/status/ID',
    'javascript:x.com/grace/status/ID',
    ' https://x.com/grace/status/ID',
    'https://x.com/grace/status/ID ',
    'https://x.com/gra\nce/status/ID',
    `https://x.com/grace/status/ID?${'s'.repeat(2048)}`,
  ])('refuses %s', async (form) => {
    const answer = await ada.post('/tweet/create', { text: 'Never posted', quote_tweet_url: filled(form) });
    expectRefusal(answer, 400, /^Malformed field: quote_tweet_url: must be (the address of a tweet|at most)/);
  });

  test('is refused before credit is asked for', async () => {
    const { client } = await newCaller('0');
    const quote_tweet_url = 'https://x.com.evil.example/grace/status/1';
    const answer = await client.post('/tweet/create', { text: 'Never posted', quote_tweet_url });
    expectRefusal(answer, 400, /^Malformed field: quote_tweet_url: /);
  });
});
