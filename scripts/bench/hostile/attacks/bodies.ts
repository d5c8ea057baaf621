// Attacks with malformed or extreme HTTP and JSON.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Attack, type Attacks, attacksOf, calls, fresh, type Target } from '../target.ts';

const MiB = 1024 * 1024;
const deep = (depth: number, open = '[', close = ']') => `${open.repeat(depth)}${close.repeat(depth)}`;
const json = { 'content-type': 'application/json' };
const nobody = { key: null, actor: null };

/** Opens connections with unfinished requests. Then sends a complete request, which the service must answer. */
const unfinished =
  (count: number, seconds: number, text: (target: Target) => string | undefined): Attack =>
  async (target) => {
    for (let i = 0; i < count; i++) target.connect(text(target));
    await sleep(seconds * 1_000);
    await target.rest('GET', '/account/balance');
  };
const unfinishedBody = (path: string, size: number, start: string) => (target: Target) =>
  target.head('POST', path, { ...json, 'content-length': String(size) }) + start;
const balance = (target: Target) => target.head('GET', '/v1/account/balance');

const noKeyBodies = {
  'a document of 1 MiB': JSON.stringify({ query: `{__typename ${'#'.repeat(MiB - 200)}\n}` }),
  'fields of 1 MiB': JSON.stringify({ query: `{${'a '.repeat(MiB / 2 - 100)}}` }),
  'variables of 1 MiB': JSON.stringify({ query: '{__typename}', variables: { a: Array(200_000).fill(0) } }).slice(
    0,
    MiB,
  ),
  'nested JSON of 1 MiB': `{"query":"{__typename}","variables":{"a":${deep(500_000)}}}`,
  '150,000 keys': JSON.stringify({
    query: '{__typename}',
    variables: Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`k${i}`, 0])),
  }),
};

const manyKeys = Object.fromEntries(Array.from({ length: 60_000 }, (_, k) => [`k${k}`, k]));
/** Five requests, each with an Idempotency-Key of its own, for which the service compares the body. */
const withKeys =
  (body: (index: number) => string, path = '/v1/tweet/create'): Attack =>
  (target) =>
    target.many(5, 1, (i) =>
      target.send('POST', path, { body: body(i), headers: { ...json, 'idempotency-key': randomUUID() } }),
    );

export const attacks: Attacks = {
  ...attacksOf('no key: 20 times ', noKeyBodies, (body) =>
    fresh((target) => target.many(20, 4, () => target.send('POST', '/graphql', { body, ...nobody, headers: json }))),
  ),
  'no key: 3,000 wrong keys': fresh((target) =>
    target.many(3_000, 50, (i) =>
      target.rest('GET', '/account/balance', undefined, { key: `pk_wrong_${i}`, actor: null }),
    ),
  ),
  'no key: 3,000 wrong keys of the right form': fresh((target) => {
    const start = target.keys['rich']?.slice(0, -6);
    return target.many(3_000, 50, (i) => {
      const key = `${start}${String(i).padStart(6, '0')}`;
      return target.rest('GET', '/account/balance', undefined, { key, actor: null });
    });
  }),
  'no key: 3,000 unknown paths': fresh((target) =>
    target.many(3_000, 50, (i) => target.send('GET', `/${'a/'.repeat(100)}${i}`, nobody)),
  ),
  'no key: 2,000 connections that say nothing': fresh(unfinished(2_000, 3, () => undefined)),
  'no key: 1,000 heads that never end': fresh(
    unfinished(1_000, 3, () => `GET /v1/account HTTP/1.1\r\nhost: localhost\r\n${'a: b\r\n'.repeat(500)}`),
  ),
  'slow: 500 bodies that never end': unfinished(
    500,
    5,
    unfinishedBody('/graphql', MiB, `{"query":"${'a'.repeat(60_000)}`),
  ),
  'slow: 200 bodies of 24 MiB that never end': unfinished(
    200,
    8,
    unfinishedBody('/v1/media/upload', 24 * MiB, `{"media_data":"${'a'.repeat(4 * MiB)}`),
  ),
  'json: deep, with an Idempotency-Key': withKeys(() => `{"text":"x","more":${deep(100_000)}}`),
  'json: deep objects, with an Idempotency-Key': withKeys(
    () => `{"text":"x","more":${deep(100_000, '{"a":', '}').replace('{"a":}', '{}')}}`,
  ),
  'json: deep variables, with an Idempotency-Key': withKeys(
    () => `{"query":"mutation{likeTweet(input:{tweetId:\\"1\\"}){tweet{id}}}","variables":{"a":${deep(400_000)}}}`,
    '/graphql',
  ),
  'json: 1 MiB of small values, with an Idempotency-Key': withKeys((i) =>
    JSON.stringify({ text: `x ${i}`, more: Array(250_000).fill({}) }),
  ),
  'json: 1 MiB of keys, with an Idempotency-Key': withKeys(() => JSON.stringify({ text: 'x', ...manyKeys })),
  'json: 1 MiB of keys, no key': fresh(calls('POST', '/tweet/create', manyKeys, { count: 20, atOnce: 4, ...nobody })),
  'json: other encodings': async (target) => {
    const body = '{"text":"x"}';
    for (const charset of ['utf-16le', 'utf-16', 'utf-7', 'utf-32', 'latin1']) {
      const response = await target.rest('POST', '/tweet/create', Buffer.from(body, 'utf16le'), {
        headers: { 'content-type': `application/json; charset=${charset}` },
      });
      target.note(`${charset} ${response.status}`);
    }
    const broken = Buffer.concat([Buffer.from('{"text":"'), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from('"}')]);
    target.note(`broken UTF-8 ${(await target.rest('POST', '/tweet/create', broken)).status}`);
  },
  'json: a gzip bomb': async (target) => {
    const body = gzipSync(Buffer.alloc(200 * MiB, ' '));
    await target.many(4, 4, () =>
      target.rest('POST', '/tweet/create', body, { headers: { 'content-encoding': 'gzip' } }),
    );
  },
  'headers: two Authorization': async (target) => {
    const { rich, poor } = target.keys;
    const both = (path: string, first: string | undefined, second: string | undefined) =>
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${first}\r\nauthorization: Bearer ${second}\r\n\r\n`;
    await target.raw(both('/v1/account/balance', rich, poor));
    await target.raw(both('/v1/account/balance', 'wrong', rich));
    await target.raw(both('/graphql?query={account{name}}', rich, poor));
    await target.raw(both('/graphql?query={account{name}}', 'wrong', rich));
  },
  'headers: foreign Host of /metrics': (target) =>
    target.raw('GET /metrics HTTP/1.1\r\nhost: attacker.example\r\n\r\n'),
  'headers: 1,900 of them, 200 times': (target) => {
    const text = balance(target).replace(/\r\n$/, `${'a:b\r\n'.repeat(1_900)}\r\n`);
    return target.many(200, 20, () => target.raw(text));
  },
  'headers: a query of 15 KB, 500 times': calls('GET', `/account/usage?${'%41=&'.repeat(3_000)}`, undefined, {
    count: 500,
    atOnce: 20,
  }),
  'headers: 21 pipelined requests on 200 connections': unfinished(200, 4, (target) => balance(target).repeat(21)),
  'headers: 3,600 pipelined requests on 40 connections': unfinished(40, 4, () =>
    'GET / HTTP/1.1\r\n\r\n'.repeat(3_600),
  ),
  'chunks of one byte on 20 connections': unfinished(
    20,
    4,
    (target) =>
      target.head('POST', '/v1/tweet/create', { ...json, 'transfer-encoding': 'chunked' }) +
      '1\r\n \r\n'.repeat(100_000),
  ),
  'chunks of one byte on 20 connections, no key': unfinished(
    20,
    4,
    () =>
      `POST /v1/tweet/create HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(100_000)}`,
  ),
  ...attacksOf(
    'concurrency: ',
    {
      '2,000 free calls at once': { path: '/account/usage?granularity=hour', count: 2_000 },
      '2,000 calls at once': { path: '/user/info?userName=grace', count: 2_000 },
      '1,000 searches at once': { path: '/tweet/advanced_search?q=from:grace&count=100', count: 1_000 },
    },
    ({ path, count }) => calls('GET', path, undefined, { count, atOnce: count }),
  ),
  'idempotency: 5,000 keys': (target) =>
    target.many(5_000, 50, () =>
      target.rest('POST', '/tweet/favorite', { tweet_id: 'x' }, { headers: { 'idempotency-key': randomUUID() } }),
    ),
  'idempotency: one key, 500 times at once': calls(
    'POST',
    '/tweet/create',
    { text: 'once' },
    {
      count: 500,
      atOnce: 500,
      headers: { 'idempotency-key': 'the-same' },
    },
  ),
};
