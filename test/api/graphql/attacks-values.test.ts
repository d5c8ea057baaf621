import { afterEach, describe, expect, test } from 'vitest';
import { expectQuick } from '../../support/processor-time.ts';
import { expectRefused, many, useAttacker } from './attacks-client.ts';

const attacker = await useAttacker();
afterEach(() => attacker.expectUnharmed());

const byName = 'query($n:String){user(userName:$n){id}}';
const paged = 'query($n:Int){searchTweets(q:"tea",first:$n){nodes{id}}}';
const posted = 'mutation($i:CreateTweetInput!){createTweet(input:$i){tweet{id}}}';
const nodes = 'query($ids:[ID!]!){nodes(ids:$ids){id}}';
const since = 'query($t:DateTime){account{usage(from:$t){calls}}}';
const hourly = 'query($g:Granularity){account{usage(granularity:$g){calls}}}';

describe('values of a wrong type refuse the whole request, and are not said again', () => {
  test.each<[string, string, unknown]>([
    ['text as a number', paged, { n: 'canary' }],
    ['a number beyond 32 bits', paged, { n: 2 ** 31 }],
    ['a fraction', paged, { n: 1.5 }],
    ['a list as a number', paged, { n: ['canary'] }],
    ['a number as text', byName, { n: 5 }],
    ['an object as text', byName, { n: { canary: 1 } }],
    ['a query for a database', byName, { n: { $gt: '' } }],
    ['a megabyte as a number', paged, { n: 'canary'.repeat(150_000) }],
    ['an unknown choice', hourly, { g: 'canary' }],
    ['__proto__ as a choice', hourly, { g: '__proto__' }],
    ['a number as a time', since, { t: 5 }],
    ['a list as a time', since, { t: ['canary'] }],
    ['text as an object', posted, { i: 'canary' }],
    ['no object where one must be', posted, {}],
    ['a field that is none', posted, { i: { text: 'x', other: 'canary' } }],
    ['constructor as a field', posted, { i: { text: 'x', constructor: { prototype: 1 } } }],
    ['null among ids', nodes, { ids: ['a', null] }],
    ['9,000 mistakes', nodes, { ids: Array.from({ length: 9_000 }, () => null) }],
    ['objects as ids', nodes, { ids: [{ canary: 1 }] }],
    ['words that look like a fault', paged, { n: 'x; Expected canary; Int cannot represent canary' }],
  ])('%s', async (_name, query, variables) => {
    const answer = await attacker.ask(query, { variables });
    expectRefused(answer, 400, /^Variable "\$\w+" /);
    if (JSON.stringify(variables).includes('"canary"')) expect(answer.text).not.toContain('"canary');
    expect(answer.text).not.toContain('canarycanary');
  });

  test('in time, whatever the names in them look like', async () => {
    const places = Array.from({ length: 4 }, (_, i) => [`${i} at "${'x'.repeat(60_000)}`, 1]);
    await expectQuick(2_000, async () => {
      const answer = await attacker.ask(paged, { variables: { n: Object.fromEntries(places) } });
      expectRefused(answer, 400, /^Variable "\$n" got invalid value; /);
    });
  });

  test.each([
    ['text as a number', '{homeTimeline(first:"canary"){nodes{id}}}'],
    ['a number of 10,000 digits', `{homeTimeline(first:${'9'.repeat(10_000)}){nodes{id}}}`],
    ['a list of lists', '{homeTimeline(first:[["canary"]]){nodes{id}}}'],
    ['an unknown choice', '{searchTweets(q:"x",product:canary){nodes{id}}}'],
    ['text where a name should be', '{viewer "canary"}'],
    ['a time that is a number', '{account{usage(from:5){calls}}}'],
  ])('in the document, too: %s', async (_name, query) => {
    const answer = await attacker.ask(query);
    expectRefused(answer, 400);
    expect(answer.text).not.toContain('canary');
    expect(answer.text).not.toContain('999');
  });

  test.each<[string, string]>([
    ['the same twice', 'query($a:Int,$a:Int){homeTimeline(first:$a){nodes{id}}}'],
    ['90 that are not used', `query(${many(90, (i) => `$v${i}:Int`)}){__typename}`],
    ['one that is not declared', '{homeTimeline(first:$a){nodes{id}}}'],
    ['of a type that is none', 'query($a:__proto__){user(userName:$a){id}}'],
    ['of a type that is never an input', 'query($a:User){user(userName:$a){id}}'],
  ])('variables: %s', async (_name, query) => expectRefused(await attacker.ask(query), 400));
});

describe('values that a field refuses make that field null, and cost nothing', () => {
  test.each<[string, string, unknown]>([
    ['no item', paged, { n: 0 }],
    ['a negative number of items', paged, { n: -2_147_483_648 }],
    ['101 items', paged, { n: 101 }],
    ['a cursor of 900 KB', 'query($a:String){homeTimeline(after:$a){nodes{id}}}', { a: 'x'.repeat(900_000) }],
    ['a name of 900 KB', byName, { n: 'x'.repeat(900_000) }],
    ['half a surrogate pair', byName, { n: '\ud800' }],
    ['a NUL', byName, { n: 'a\u0000b' }],
    ['no name', byName, {}],
    ['__proto__', byName, JSON.parse('{"__proto__":"ada","constructor":{"prototype":{"n":"ada"}}}')],
    ['101 ids', nodes, { ids: Array.from({ length: 101 }, () => 'VXNlcjox') }],
    ['50,000 ids', nodes, { ids: Array.from({ length: 50_000 }, () => 'VXNlcjox') }],
    ['ids of nothing', nodes, { ids: ['', 'x', '\u0000', 'Zm9v', 'X19wcm90b19fOjE='] }],
  ])('%s', async (_name, query, variables) => {
    const { status, body, headers } = await attacker.ask(query, { variables });
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', status: 400 });
    expect(status === 200 ? body.data : null).not.toBeUndefined();
    expect([200, 400]).toContain(status);
    expect(headers.get('x-credits-charged')).toBeNull();
    expect(({} as Record<string, unknown>)['n']).toBeUndefined();
  });
});

describe('names that JavaScript has', () => {
  test.each([
    ['fragments that are not there', '{...__proto__ ...constructor ...toString}'],
    ['fields that are not there', '{__proto__ constructor hasOwnProperty}'],
    ['arguments that are not there', '{account{usage(__proto__:1,constructor:2){calls}}}'],
    ['directives that are not there', '{__typename @__proto__ @constructor}'],
  ])('%s', async (_name, query) => expectRefused(await attacker.ask(query), 400));

  test('are names like any other where a caller gives them', async () => {
    const query =
      'query constructor{...__proto__ toString:__typename} fragment __proto__ on Query{constructor:account{valueOf:name}}';
    const { body } = await attacker.ask(query, { operationName: 'constructor' });
    expect(body.data).toEqual({ constructor: { valueOf: 'Test' }, toString: 'Query' });
  });
});
