import { describe, expect, test } from 'vitest';
import { expectRefused, many, useAttacker } from './attacks-client.ts';

const attacker = await useAttacker();

const older = 'application/json';
const newer = 'application/graphql-response+json';

describe('Accept', () => {
  test.each([
    [older, older],
    [newer, newer],
    [`${newer}, ${older}`, newer],
    [`${older}, ${newer}`, newer],
    [`${newer};q=0.5, ${older}`, older],
    [`${newer};q=0, */*`, older],
    [`${newer}; charset=utf-8 , ${older};q=0.9`, newer],
    [`multipart/mixed, ${newer}, ${older}`, newer],
    [newer.toUpperCase(), newer],
    ['*/*', older],
    ['application/*', older],
    ['text/event-stream', older],
    ['multipart/mixed;deferSpec=20220824', older],
    ['image/png', older],
    [';q=,*,,/,*/*;q=0', older],
    ['a/b,'.repeat(3_000), older],
    [`${newer};q=nonsense`, older],
  ])('%.60s', async (accept, type) => {
    const good = await attacker.ask('{account{name}}', {}, { accept });
    expect(good.status).toBe(200);
    expect(good.body.data).toEqual({ account: { name: 'Test' } });
    expect(good.headers.get('content-type')).toBe(`${type}; charset=utf-8`);

    const bad = await attacker.ask('{', {}, { accept });
    expect(bad.status).toBe(type === newer ? 400 : 200);
    expect(bad.body.errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', status: 400 });
    expect(bad.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
  });

  test.each([older, newer])('what we refuse ourselves has its own status for %s', async (accept) => {
    const refused = async (query: string, status: number, headers = {}) =>
      expectRefused(await attacker.ask(query, {}, { accept, ...headers }), status);
    await refused(`{${many(101, (i) => `a${i}:__typename`)}}`, 400);
    await refused(`{${'a '.repeat(5_000)}}`, 400);
    // The second response comes from the cache.
    await refused(`{${'a '.repeat(5_000)}}`, 400);
    await refused(`{${'a'.repeat(40_000)}}`, 400);
    await refused(`{nodes(ids:${'['.repeat(1_900)}${']'.repeat(1_900)}){id}}`, 400);
    await refused('{viewer{followers(first:100){nodes{followers(first:100){nodes{followers{nodes{id}}}}}}}}', 400);
    await refused('query A{__typename} query B{__typename}', 400);
    await refused('{viewer{id}}', 401, { authorization: 'Bearer nonsense' });
    await refused('{viewer{id}}', 401, { authorization: 'Basic eDp5' });
  });

  test('an account without credit is told so', async () => {
    const { key } = await attacker.service.makeAccount('0');
    for (const accept of [older, newer]) {
      const answer = await attacker.ask('{viewer{id}}', {}, { accept, authorization: `Bearer ${key}` });
      expectRefused(answer, 402);
      expect(answer.body.errors?.[0]?.extensions.code).toBe('INSUFFICIENT_CREDITS');
    }
  });
});

describe('what is not offered', () => {
  test.each([
    ['@defer', '{viewer{...@defer{id}}}', /Unknown directive "@defer"/],
    ['@stream', '{viewer{followers{nodes@stream{id}}}}', /Unknown directive "@stream"/],
    ['another type of operation', 'observe{viewer{id}}', /Unexpected Name "observe"/],
    ['types of the caller', 'type Query{a:Int}', /not executable/],
    ['no operation', 'fragment F on Query{__typename}', /never used/],
    ['one operation among two', 'query A{__typename} query B{__typename}', /Could not determine/],
  ])('%s', async (_name, query, message) => {
    expectRefused(await attacker.ask(query), 400, message);
  });

  test.each(['C', '__proto__', 'constructor', '\ud800', '', 'x'.repeat(100_000)])(
    'an operation of the name %.20j',
    async (operationName) => {
      const answer = await attacker.ask('query A{__typename} query B{__typename}', { operationName });
      expectRefused(answer, 400, /Could not determine/);
    },
  );
});
