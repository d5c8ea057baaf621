import { afterEach, describe, expect, test } from 'vitest';
import { bomb, expectRefused, many, useAttacker } from './attacks-client.ts';

const attacker = await useAttacker();
afterEach(() => attacker.expectUnharmed());

const inNodes = (next: string) => `followers{edges{node{${next}}}}following{edges{node{${next}}}}`;
const tooComplex = /Too deep|Too broad|Too costly/;
const aliased = (next: string) => `a:ofType{${next}}b:ofType{${next}}`;

describe('bombs: documents that are short as written and endless written out', () => {
  test.each([
    ['fields that double', `{viewer{...F0}}${bomb(18, 'User', inNodes, 'id')}`, tooComplex],
    [
      'fields that double, in a mutation',
      `mutation{followUser(input:{userId:"1"}){user{...F0}}}${bomb(18, 'User', inNodes, 'id')}`,
      tooComplex,
    ],
    [
      'fields of the schema that double',
      `{__schema{queryType{...F0}}}${bomb(18, '__Type', aliased, 'name')}`,
      /Too deep|Too broad/,
    ],
    [
      'inline fragments that double',
      `{viewer{...F0}}${bomb(18, 'User', (next) => `...{${next}}...{${inNodes(next)}}`, 'id')}`,
      tooComplex,
    ],
    ['lists in lists', `{viewer{${'followers(first:100){nodes{'.repeat(5)}id${'}}'.repeat(5)}}}`, /Too costly/],
    ['wide and not deep', `{viewer{...F0}}${bomb(9, 'User', inNodes, 'id name '.repeat(9))}`, /Too deep|Too broad/],
  ])('%s', async (_name, document, message) => {
    expectRefused(await attacker.ask(document), 400, message);
  });

  test('spreads that double are written out once only, so 865 bytes of them cost what one field costs', async () => {
    const document = `{viewer{...F0}}${bomb(18, 'User', (next) => `${next} ${next}`, 'id')}`.padEnd(865);
    const { body } = await attacker.ask(document, {}, { 'x-cost-only': '1' });
    expect(body.errors).toBeUndefined();
    expect(body.extensions.cost['quoted']).toBe('0.001');
  });

  test.each([
    ['two fragments', '{viewer{...A}} fragment A on User{...B} fragment B on User{...A}'],
    ['a fragment of itself', '{viewer{...A}} fragment A on User{id ...A}'],
    ['through fields', '{viewer{...A}} fragment A on User{followers{nodes{...A}}}'],
    ['through the schema', '{__schema{queryType{...A}}} fragment A on __Type{ofType{...A}}'],
    ['among unused ones', '{__typename} fragment A on User{...B} fragment B on User{...A}'],
    ['forty in a ring', `{viewer{...F0}}${many(40, (i) => `fragment F${i} on User{...F${(i + 1) % 40}}`)}`],
  ])('fragments in a circle: %s', async (_name, document) => {
    expectRefused(await attacker.ask(document), 400, /Cannot spread fragment|introspection depth/);
  });
});

describe('depth of 20,000', () => {
  const open = (text: string) => text.repeat(20_000);

  test.each([
    ['fields', `${open('{viewer')}{id}${open('}')}`],
    ['fields, never closed', open('{a')],
    ['inline fragments', `${open('{...')}{id}${open('}')}`],
    ['lists', `{nodes(ids:${open('[')}${open(']')}){id}}`],
    ['input objects', `mutation{createTweet(input:${open('{a:')}1${open('}')}){tweetId}}`],
    ['types of variables', `query($a:${open('[')}Int${open(']')}){__typename}`],
  ])('of %s', async (_name, document) => {
    expectRefused(await attacker.ask(document), 400, /Too long/);
  });

  test.each([
    ['fields', `{viewer${'{followers{nodes'.repeat(60)}{id}${'}}'.repeat(60)}}`],
    ['fields of the schema', `{__schema{queryType${'{ofType'.repeat(60)}{name}${'}'.repeat(60)}}}`],
    ['inline fragments', `{${'...{'.repeat(900)}__typename${'}'.repeat(900)}}`],
    ['lists', `{nodes(ids:${'['.repeat(1_900)}${']'.repeat(1_900)}){id}}`],
    ['input objects', `mutation{createTweet(input:${'{a:'.repeat(900)}1${'}'.repeat(900)}){tweetId}}`],
    ['types of variables', `query($a:${'['.repeat(1_900)}Int${']'.repeat(1_900)}){__typename}`],
  ])('within the other limits, of %s', async (_name, document) => {
    expectRefused(await attacker.ask(document), 400, /Too deep/);
  });

  test.each([
    ['lists', 'query($ids:[ID!]!){nodes(ids:$ids){id}}', `{"ids":${open('[')}${open(']')}}`],
    [
      'objects',
      'mutation($i:CreateTweetInput!){createTweet(input:$i){__typename}}',
      `{"i":${open('{"text":')}1${open('}')}}`,
    ],
  ])('of %s in variables', async (_name, query, variables) => {
    const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
    const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
    expectRefused(await attacker.send({ method: 'POST', headers, body }), 400, /nests deeper than 64 levels/);
  });
});

describe('too many', () => {
  const tooLong = /Too long: a document may have at most 32768 characters/;

  test.each([
    ['5,000 aliases', `{${many(5_000, (i) => `a${i}:account{name}`)}}`, /Too long/],
    ['5,000 aliases of __typename', `{${many(5_000, (i) => `a${i}:__typename`)}}`, /Too long/],
    ['aliases', `{${many(101, (i) => `a${i}:__typename`)}}`, /Too many aliases/],
    ['aliases in fragments', `{...F}fragment F on Query{${many(101, (i) => `a${i}:__typename`)}}`, /Too many aliases/],
    ['200,000 directives', `{__typename ${'@include(if:true) '.repeat(200_000 / 5)}}`, /Too long/],
    ['directives', `{__typename ${'@a'.repeat(51)}}`, /Too many directives/],
    ['tokens', `{${'a '.repeat(4_000)}}`, /Too long: a document may have at most 4000 tokens/],
    ['tokens without a letter', `{a(a:[${'[]'.repeat(3_000)}`, /Too long: a document may have at most 4000 tokens/],
    ['characters of a comment', `{__typename}#${'x'.repeat(40_000)}`, tooLong],
    ['characters of a name', `{${'x'.repeat(40_000)}}`, tooLong],
    ['fields', `{${many(1_001, () => 'id')}}`, /Too many selections/],
    ['fields of one name', `{${many(76, () => 'viewer{id}')}}`, /Too many repetitions/],
    ['fields of one name in fragments', `{${many(76, () => '...{viewer{id}}')}}`, /Too many repetitions/],
    ['fragments', `{__typename}${many(50, (i) => `fragment F${i} on User{id}`)}`, /Too many definitions/],
    ['operations', many(51, (i) => `query Q${i}{__typename}`), /Too many definitions|Could not determine/],
    ['variables', `query(${many(101, (i) => `$v${i}:Int`)}){__typename}`, /Too many variables/],
    ['fields, written out', `{viewer{...A}}${wide()}`, /Too broad/],
    ['calls', `{${many(90, (i) => `a${i}:homeTimeline(first:100){nodes{inReplyTo{text}}}`)}}`, /Too costly/],
  ])('%s', async (_name, document, message) => {
    expectRefused(await attacker.ask(document), 400, message);
  });

  test('a syntax error that quotes the word tokens is not refused as too long', async () => {
    expectRefused(await attacker.ask('query tokens tokens { __typename }'), 400, /^Syntax Error: .*Name "tokens"/);
  });

  test('mistakes are told ten times', async () => {
    const { body } = await attacker.ask(`{${many(900, (i) => `x${i}`)}}`);
    expect(body.errors).toHaveLength(11);
  });
});

/** Returns a document with a thousand fields from a few fragments. */
function wide(): string {
  return `fragment A on User{${many(40, (i) => `a${i}:about{...B}`)}} fragment B on UserAbout{${many(40, (i) => `b${i}:__typename`)}}`;
}
