// Attacks with extreme documents. Each request has a different text, so that no cache helps.
import { type Attacks, attacksOf, many, type Sent } from '../target.ts';

const json = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };

interface Request extends Sent {
  method: 'GET' | 'POST';
  path: string;
}

const post = (body: string, headers: Record<string, string> = json): Request => ({
  method: 'POST',
  path: '/graphql',
  headers,
  body,
});
const ask =
  (document: string, variables?: object) =>
  (n: number): Request =>
    post(JSON.stringify({ query: `${document} #${n}`, variables }));
const get =
  (query: string) =>
  (n: number): Request => ({
    method: 'GET',
    path: `/graphql?${new URLSearchParams({ query, n: String(n) })}`,
  });

/** Returns fragments in which each one contains the next one twice. */
function bomb(levels: number, on: string, twice: (next: string) => string, last: string): string {
  return `${many(levels, (i) => `fragment F${i} on ${on}{${twice(`...F${i + 1}`)}}`)} fragment F${levels} on ${on}{${last}}`;
}

const inNodes = (next: string) => `followers{edges{node{${next}}}}following{edges{node{${next}}}}`;
const deep = (text: string) => text.repeat(20_000);
const within = (text: string) => text.repeat(1_900);
const spread = many(49, (i) => `...F${i}`);

const requests: Record<string, (n: number) => Request> = {
  'fragment bomb, 18 levels, spreads': ask(
    `{viewer{...F0 x}}${bomb(18, 'User', (next) => `${next} ${next}`, 'id')}`.padEnd(865),
  ),
  'fragment bomb, 18 levels, fields': ask(`{viewer{...F0}}${bomb(18, 'User', inNodes, 'id')}`),
  'fragment bomb in a mutation': ask(
    `mutation{followUser(input:{userId:"1"}){user{...F0}}}${bomb(18, 'User', inNodes, 'id')}`,
  ),
  'fragment bomb of the schema': ask(
    `{__schema{queryType{...F0}}}${bomb(18, '__Type', (next) => `a:ofType{${next}}b:ofType{${next}}`, 'name')}`,
  ),
  'introspection in a loop': ask(`{__schema${'{types{fields{type'.repeat(6)}{name}${'}}}'.repeat(6)}}`),
  'introspection of millions': ask(
    `{__schema{types{${many(9, (i) => `f${i}:fields{type{${many(9, (j) => `g${j}:fields{name}`)}}}`)}}}}`,
  ),
  'circular fragments': ask('{viewer{...A}} fragment A on User{...B} fragment B on User{...A}'),
  'circular fragments, 40': ask(`{viewer{...F0}}${many(40, (i) => `fragment F${i} on User{...F${(i + 1) % 40}}`)}`),
  '20,000 fields deep': ask(`${deep('{viewer')}{id}${deep('}')}`),
  '20,000 inline fragments deep': ask(`${deep('{...')}{id}${deep('}')}`),
  '20,000 lists deep': ask(`{nodes(ids:${deep('[')}${deep(']')}){id}}`),
  '20,000 lists deep in variables': (n) =>
    post(`{"query":"query Q${n}($ids:[ID!]!){nodes(ids:$ids){id}}","variables":{"ids":${deep('[')}${deep(']')}}}`),
  '1,900 lists deep': ask(`{nodes(ids:${within('[')}${within(']')}){id}}`),
  '1,900 types deep': ask(`query($a:${within('[')}Int${within(']')}){__typename}`),
  '5,000 aliases': ask(`{${many(5_000, (i) => `a${i}:account{name}`)}}`),
  '5,000 aliases of __typename': ask(`{${many(5_000, (i) => `a${i}:__typename`)}}`),
  '1,300 aliases of __typename': ask(`{${many(1_300, (i) => `a${i}:__typename`)}}`),
  '200,000 directives': ask(`{__typename ${'@a'.repeat(200_000)}}`),
  '1,900 directives': ask(`{__typename ${'@a'.repeat(1_900)}}`),
  '3,900 fields of one name': ask(`{${'id '.repeat(3_900)}}`),
  '1,000 unknown fields': ask(`{${many(1_000, (i) => `x${i}`)}}`),
  '1,300 unknown arguments': ask(`{account{usage(${many(1_300, (i) => `x${i}:1`)}){calls}}}`),
  '900 variables': ask(`query(${many(900, (i) => `$v${i}:Int`)}){__typename}`),
  '90 variables': ask(`query(${many(90, (i) => `$v${i}:Int`)}){__typename}`),
  '150,000 wrong variables': ask('query($ids:[ID!]!){nodes(ids:$ids){id}}', { ids: Array(150_000).fill(null) }),
  'a wrong variable that looks like the place of a mistake': ask(
    'query($first:Int){searchTweets(q:"tea",first:$first){nodes{id}}}',
    { first: Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`${i} at "${'x'.repeat(60_000)}`, 1])) },
  ),
  '500 repetitions to compare': ask(`{${many(500, () => 'viewer{id}')}}`),
  '75 repetitions to compare': ask(`{x ${many(75, () => 'viewer{id name userId url userName location canDm}')}}`),
  '49 fragments to compare': ask(
    `{x ${spread}} ${many(49, (i) => `fragment F${i} on Query{user(userName:"x"){followers{edges{node{id}}}}}`)}`,
  ),
  'fields written out, too many': ask(
    `{viewer{...A}} fragment A on User{${many(40, (i) => `a${i}:about{...B}`)}} fragment B on UserAbout{${many(40, (i) => `b${i}:__typename`)}}`,
  ),
  'too costly': ask(`{viewer{${'followers(first:100){nodes{'.repeat(5)}id${'}}'.repeat(5)}}}`),
  'array batch': (n) => post(JSON.stringify(Array(1_000).fill({ query: `{__typename} #${n}` }))),
  'GET mutation': get('mutation{__typename}'),
  'urlencoded POST': (n) => post(`query={__typename}&n=${n}`, { 'content-type': 'application/x-www-form-urlencoded' }),
  '1 MB of JSON that is none': (n) => post(`{"query":"${n}${'x'.repeat(1_000_000)}`),
};

/** A document that exceeds a limit is refused as a whole. This takes a few milliseconds and costs nothing. */
export const attacks: Attacks = attacksOf(
  'document: ',
  requests,
  (request) => (target) =>
    target.many(5, 1, (n) => {
      const { method, path, ...rest } = request(n);
      return target.send(method, path, rest);
    }),
);
