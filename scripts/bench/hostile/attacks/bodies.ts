// Attacks with malformed or extreme HTTP and JSON.
import { setTimeout as sleep } from 'node:timers/promises';

const MiB = 1024 * 1024;
const deep = (depth, open = '[', close = ']') => `${open.repeat(depth)}${close.repeat(depth)}`;
const json = { 'content-type': 'application/json' };
const nobody = { key: null, actor: null };
const fresh = (attack) => Object.assign(attack, { fresh: true });

/** Returns a header line for each name, for a raw request. */
const lines = (headers) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

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

export const attacks = {
  ...Object.fromEntries(
    Object.entries(noKeyBodies).map(([name, body]) => [
      `no key: 20 times ${name}`,
      fresh((target) => target.many(20, 4, () => target.send('POST', '/graphql', { body, ...nobody, headers: json }))),
    ]),
  ),
  'no key: 3,000 wrong keys': fresh((target) =>
    target.many(3_000, 50, (i) =>
      target.rest('GET', '/account/balance', undefined, { key: `pk_wrong_${i}`, actor: null }),
    ),
  ),
  'no key: 3,000 wrong keys of the right form': fresh((target) => {
    const { rich } = target.keys;
    return target.many(3_000, 50, (i) => {
      const end = String(i).padStart(6, '0');
      return target.rest('GET', '/account/balance', undefined, { key: `${rich.slice(0, -6)}${end}`, actor: null });
    });
  }),
  'no key: 3,000 unknown paths': fresh((target) =>
    target.many(3_000, 50, (i) => target.send('GET', `/${'a/'.repeat(100)}${i}`, nobody)),
  ),
  'no key: 2,000 connections that say nothing': fresh(async (target) => {
    for (let i = 0; i < 2_000; i++) target.connect();
    await sleep(3_000);
    await target.rest('GET', '/account/balance');
  }),
  'no key: 1,000 heads that never end': fresh(async (target) => {
    for (let i = 0; i < 1_000; i++)
      target.connect(`GET /v1/account HTTP/1.1\r\nhost: localhost\r\n${'a: b\r\n'.repeat(500)}`);
    await sleep(3_000);
    await target.rest('GET', '/account/balance');
  }),
  'slow: 500 bodies that never end': async (target) => {
    const head = `POST /graphql HTTP/1.1\r\nhost: localhost\r\n${lines(target.headers({ headers: json }))}content-length: ${MiB}\r\n\r\n`;
    for (let i = 0; i < 500; i++) target.connect(`${head}{"query":"${'a'.repeat(60_000)}`);
    await sleep(5_000);
    await target.rest('GET', '/account/balance');
  },
  'slow: 200 bodies of 24 MiB that never end': async (target) => {
    const head = `POST /v1/media/upload HTTP/1.1\r\nhost: localhost\r\n${lines(target.headers({ headers: json }))}content-length: ${24 * MiB}\r\n\r\n`;
    for (let i = 0; i < 200; i++) target.connect(`${head}{"media_data":"${'a'.repeat(4 * MiB)}`);
    await sleep(8_000);
    await target.rest('GET', '/account/balance');
  },
  'json: deep, with an Idempotency-Key': (target) =>
    target.many(5, 1, (i) =>
      target.rest('POST', '/tweet/create', `{"text":"x","more":${deep(100_000)}}`, {
        headers: { 'idempotency-key': `d${i}-${Date.now()}` },
      }),
    ),
  'json: deep objects, with an Idempotency-Key': (target) =>
    target.many(5, 1, (i) =>
      target.rest(
        'POST',
        '/tweet/create',
        `{"text":"x","more":${deep(100_000, '{"a":', '}').replace('{"a":}', '{}')}}`,
        {
          headers: { 'idempotency-key': `o${i}-${Date.now()}` },
        },
      ),
    ),
  'json: deep variables, with an Idempotency-Key': (target) =>
    target.many(5, 1, (i) =>
      target.send('POST', '/graphql', {
        body: `{"query":"mutation{likeTweet(input:{tweetId:\\"1\\"}){tweet{id}}}","variables":{"a":${deep(400_000)}}}`,
        headers: { ...json, 'idempotency-key': `v${i}-${Date.now()}` },
      }),
    ),
  'json: 1 MiB of small values, with an Idempotency-Key': (target) =>
    target.many(5, 1, (i) =>
      target.rest(
        'POST',
        '/tweet/create',
        { text: `x ${i}`, more: Array(250_000).fill({}) },
        { headers: { 'idempotency-key': `s${i}-${Date.now()}` } },
      ),
    ),
  'json: 1 MiB of keys, with an Idempotency-Key': (target) =>
    target.many(5, 1, (i) =>
      target.rest(
        'POST',
        '/tweet/create',
        { text: 'x', ...Object.fromEntries(Array.from({ length: 60_000 }, (_, k) => [`k${k}`, k])) },
        {
          headers: { 'idempotency-key': `k${i}-${Date.now()}` },
        },
      ),
    ),
  'json: 1 MiB of keys, no key': fresh((target) =>
    target.many(20, 4, () =>
      target.rest(
        'POST',
        '/tweet/create',
        Object.fromEntries(Array.from({ length: 60_000 }, (_, k) => [`k${k}`, k])),
        nobody,
      ),
    ),
  ),
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
    const { gzipSync } = await import('node:zlib');
    const body = gzipSync(Buffer.alloc(200 * MiB, ' '));
    await target.many(4, 4, () =>
      target.rest('POST', '/tweet/create', body, { headers: { 'content-encoding': 'gzip' } }),
    );
  },
  'headers: two Authorization': async (target) => {
    const { rich, poor } = target.keys;
    const both = (path, first, second) =>
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${first}\r\nauthorization: Bearer ${second}\r\n\r\n`;
    await target.raw(both('/v1/account/balance', rich, poor));
    await target.raw(both('/v1/account/balance', 'wrong', rich));
    await target.raw(both('/graphql?query={account{name}}', rich, poor));
    await target.raw(both('/graphql?query={account{name}}', 'wrong', rich));
  },
  'headers: foreign Host of /metrics': (target) =>
    target.raw('GET /metrics HTTP/1.1\r\nhost: attacker.example\r\n\r\n'),
  'headers: 1,900 of them, 200 times': (target) => {
    const text = `GET /v1/account/balance HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${target.keys.rich}\r\n${'a:b\r\n'.repeat(1_900)}\r\n`;
    return target.many(200, 20, () => target.raw(text));
  },
  'headers: a query of 15 KB, 500 times': (target) =>
    target.many(500, 20, () => target.rest('GET', `/account/usage?${'%41=&'.repeat(3_000)}`)),
  'headers: 21 pipelined requests on 200 connections': async (target) => {
    const text = `GET /v1/account/balance HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${target.keys.rich}\r\n\r\n`;
    for (let i = 0; i < 200; i++) target.connect(text.repeat(21));
    await sleep(4_000);
  },
  'concurrency: 2,000 free calls at once': (target) =>
    target.many(2_000, 2_000, () => target.rest('GET', '/account/usage?granularity=hour')),
  'concurrency: 2,000 calls at once': (target) =>
    target.many(2_000, 2_000, () => target.rest('GET', '/user/info?userName=grace')),
  'concurrency: 1,000 searches at once': (target) =>
    target.many(1_000, 1_000, () => target.rest('GET', '/tweet/advanced_search?q=from:grace&count=100')),
  'idempotency: 5,000 keys': (target) =>
    target.many(5_000, 50, (i) =>
      target.rest(
        'POST',
        '/tweet/favorite',
        { tweet_id: 'x' },
        { headers: { 'idempotency-key': `${Date.now()}-${i}` } },
      ),
    ),
  'idempotency: one key, 500 times at once': (target) =>
    target.many(500, 500, () =>
      target.rest('POST', '/tweet/create', { text: 'once' }, { headers: { 'idempotency-key': 'the-same' } }),
    ),
};
