import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { readJsonBody } from '../../../src/api/http/json-body.ts';
import { expectQuick } from '../../support/processor-time.ts';
import { expectRefusal, restingBalance } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { ada: caller } = await useService();
afterAll(async () => expect(await restingBalance(caller)).toBe('1'));

const json = 'application/json';

/** Sends a body that may have unknown parameters. */
const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  caller.send('POST', path, body, { 'content-type': json, prefer: 'handling=lenient', ...caller.headers, ...headers });

const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;

describe('the depth of a body', () => {
  const tooDeep = /^The body nests deeper than 64 levels$/;

  test.each([
    ['arrays', nested('[', ']', 20_000)],
    ['objects', nested('{"a":', '}', 20_000)],
    ['as little as one level too deep', nested('[', ']', 64)],
    ['behind strings with quotes, brackets and backslashes', `["]]]]\\"}}}}","\\\\",${nested('[', ']', 64)}]`],
  ])('is limited, with an Idempotency-Key too: %s', async (_name, value) => {
    const body = `{"tweet_id":"12","extra":${value}}`;
    expectRefusal(await post('/tweet/favorite', body, { 'idempotency-key': crypto.randomUUID() }), 400, tooDeep);
    expectRefusal(await post('/tweet/favorite', body), 400, tooDeep);
    expectRefusal(await post('/webhooks', body), 400, tooDeep);
    expectRefusal(await post('/media/upload', body), 400, tooDeep);
  });

  test('counts no brackets inside strings', async () => {
    const extra = JSON.stringify(`${'[{'.repeat(100)}"\\${'{"a":'.repeat(100)}`);
    const body = `{"tweet_id":"12","extra":${extra},"deep":${nested('[', ']', 60)}}`;
    const headers = { 'idempotency-key': crypto.randomUUID() };
    expectRefusal(await post('/tweet/favorite', body, headers), 404, 'Tweet not found: 12');
  });
});

test.each([
  ['media_ids', '/tweet/create', `{"text":"x","media_ids":[${'"1",'.repeat(200_000)}"1"]}`],
  ['events', '/webhooks', `{"url":"https://a.example/","events":[${'0,'.repeat(400_000)}0]}`],
  ['empty arrays', '/tweet/create', `{"text":"x","media_ids":[${'[],'.repeat(200_000)}[]]}`],
])('the number of values in a body is limited: %s', async (_name, path, body) => {
  await expectQuick(1_000, async () =>
    expectRefusal(await post(path, body), 400, 'The body has more than 10000 values'),
  );
});

describe('a large body', () => {
  const manyQuotes = '\\"'.repeat(1_000_001);
  const tooManyEscapes = 'The body has more than 1000000 escapes (\\) in its strings';
  const tooMuchOutside = 'The body has more than 1048576 bytes outside its strings';
  const longName = 'The body has a property name of more than 65536 bytes';

  test.each([
    ['digits', `{"media_url":${'1'.repeat(20_000_000)}}`, tooMuchOutside],
    ['spaces', `{${' '.repeat(20_000_000)}"media_url":1}`, tooMuchOutside],
    ['strings without commas', `[${'""'.repeat(2_000_000)}]`, tooMuchOutside],
    ['escapes in a value', `{"media_url":"${manyQuotes}"}`, tooManyEscapes],
    ['escapes in many values', `[${`"${'\\n'.repeat(20_000)}",`.repeat(60)}1]`, tooManyEscapes],
    ['escapes in a name', `{"${manyQuotes}":1}`, /^The body has (more than 1000000 escapes|a property name)/],
    ['a long name', `{"${'A'.repeat(70_000)}":1}`, longName],
    ['a long name before a space', `{"${'é'.repeat(35_000)}" :1}`, longName],
    ['brackets after the first slice', `{"a":"${'A'.repeat(5_000_000)}","b":${nested('[', ']', 64)}}`, /nests deeper/],
  ])('is refused for %s, compressed too', async (_name, body, message) => {
    const headers = { 'content-encoding': 'gzip' };
    expectRefusal(await post('/media/upload', gzipSync(body), headers), 400, message);
    if (!body.startsWith('[')) expectRefusal(await post('/media/upload', body), 400, message);
  });

  test.each([
    ['base64 with escaped slashes', 'QUJD\\/UJDQUJDQUJDQUJDQUJDQUJDQUJD'.repeat(300_000)],
    ['characters of two bytes', 'é'.repeat(6_000_000)],
    ['characters of three bytes', `a${'中'.repeat(4_000_000)}`],
    ['characters of four bytes', `a${'😀'.repeat(3_000_000)}`],
    ['brackets and commas', '[{,:}]'.repeat(2_000_000)],
  ])('is read whole: %s', async (_name, value) => {
    const body = `{"extra":"${value}","media_url":7}`;
    expectRefusal(await post('/media/upload', body), 400, /media_url/);
  });

  test('keeps the characters at which it is cut into slices', async () => {
    for (const shift of ['', 'a', 'aa', 'aaa']) {
      const value = `${shift}${'😀'.repeat(800_000)}`;
      const request = Object.assign(Readable.from([Buffer.from(JSON.stringify({ value }))]), {
        headers: { 'content-type': json, 'transfer-encoding': 'chunked' },
      });
      const body = await readJsonBody(request as unknown as IncomingMessage, { limitBytes: 24 * 1024 * 1024 });
      expect((body as { value: string }).value === value).toBe(true);
    }
  });
});

describe('text in a body', () => {
  const text = '{"tweet_id":"12","extra":"é"}';

  test.each(['utf-16', 'utf-16le', 'utf-7', 'iso-8859-1', 'utf-32', '"utf-16"', 'nonsense'])(
    'of the charset %s is refused',
    async (charset) => {
      const bytes = charset.includes('16') ? Buffer.from(text, 'utf16le') : Buffer.from(text, 'latin1');
      const headers = { 'content-type': `${json}; charset=${charset}` };
      expectRefusal(await post('/tweet/favorite', bytes, headers), 415, 'The body must be UTF-8');
    },
  );

  test.each([
    ['cut', '{"tweet_id":"12","extra":"\xc3"}'],
    ['latin1', '{"tweet_id":"12","extra":"\xe9"}'],
    ['overlong', '{"tweet_id":"12","extra":"\xc0\xaf"}'],
    ['a surrogate', '{"tweet_id":"12","extra":"\xed\xa0\x80"}'],
    ['UTF-16 that is not declared', Buffer.from(`\ufeff${text}`, 'utf16le').toString('latin1')],
  ])('that is not UTF-8 is refused: %s', async (_name, bytes) => {
    const body = Buffer.from(bytes, 'latin1');
    const packed = await post('/tweet/favorite', gzipSync(body), { 'content-encoding': 'gzip' });
    for (const refused of [packed, await post('/tweet/favorite', body)])
      expectRefusal(refused, 400, 'The body is not valid UTF-8');
  });

  test('of many MiB is decoded in slices, and letters may lie across them', async () => {
    const large = (letters: string) =>
      JSON.stringify({ media_type: 'nonsense', extra: `a${letters.repeat(3_000_000)}` });
    expectRefusal(await post('/media/upload', large('é')), 400, /^Malformed field: media_type: /);
    const cut = Buffer.from(large('é')).subarray(0, 4 * 1024 * 1024 + 2);
    expectRefusal(await post('/media/upload', cut), 400, /^The body is not valid UTF-8$/);
    const wrong = Buffer.from(large('é'));
    wrong[5_000_000] = 0xff;
    expectRefusal(await post('/media/upload', wrong), 400, 'The body is not valid UTF-8');
  });

  test.each(['', '; charset=utf-8', '; charset="UTF-8"', ';charset=utf8'])('is read as UTF-8: "%s"', async (suffix) => {
    const headers = { 'content-type': json + suffix };
    expectRefusal(await post('/tweet/favorite', text, headers), 404, 'Tweet not found: 12');
    expectRefusal(await post('/tweet/favorite', `\ufeff${text}`, headers), 404, 'Tweet not found: 12');
  });
});
