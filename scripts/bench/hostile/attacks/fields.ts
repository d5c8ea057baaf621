// Attacks with field values that are expensive to check, parse or compare.

import { SandboxControl } from '../../../../test/support/sandbox-control.ts';
import { type Attacks, attacksOf, calls, many, type Target } from '../target.ts';

const MiB = 1024 * 1024;
const fill = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

const get = (path: string, query: Record<string, string>) =>
  calls('GET', `${path}?${new URLSearchParams(query)}`, undefined, { count: 5 });

/** Asks for almost as many fields as the limit of the response allows. Platform and charge count one read. */
const atLimit = (reads: number, fields: number, field: string) => (target: Target) => {
  const tweets = many(reads, (i) => `s${i}:searchTweets(q:"from:grace",first:100){nodes{...F}}`);
  const document = `{${tweets}} fragment F on Tweet{${many(fields, (i) => `f${i}:${field}`)}}`;
  return target.many(8, 1, () => target.graphql(document));
};

const searches = {
  parentheses: '('.repeat(4_000),
  quotes: '"a" '.repeat(2_500),
  operators: 'from:a '.repeat(1_800),
  OR: 'a OR '.repeat(2_500),
  minus: '-'.repeat(9_000),
  colons: 'a:'.repeat(4_000),
  spaces: ' '.repeat(9_000),
  'combining characters': 'a\u0301'.repeat(1_000),
};

const fields: Record<string, [path: string, body: object]> = {
  'tweet of 1 MB': ['/tweet/create', { text: fill('a', MiB - 100) }],
  'tweet of 1 MB of addresses': ['/tweet/create', { text: fill('a.co ', MiB - 100) }],
  'tweet of 25,000 emoji': ['/tweet/create', { text: fill('👩‍👩‍👧‍👧', 200_000) }],
  'tweet of 25,000 hashtags and mentions': ['/tweet/create', { text: fill('#a @b http://c.co ', 25_000) }],
  'tweet of dots and slashes': ['/tweet/create', { text: fill('http://a.b/.', 25_000) }],
  'tweet of combining characters': ['/tweet/create', { text: fill('\u0301', 300_000) }],
  '200,000 media_ids': ['/tweet/create', { text: 'x', media_ids: Array(200_000).fill('1') }],
  '200,000 wrong media_ids': ['/tweet/create', { text: 'x', media_ids: Array(200_000).fill(null) }],
  '60,000 media_urls': ['/tweet/create', { text: 'x', media_urls: Array(60_000).fill('http://a.b/') }],
  'quote_tweet_url of 1 MB': [
    '/tweet/create',
    {
      text: 'x',
      quote_tweet_url: `https://x.com/${fill('a/', MiB - 200)}status/1`,
    },
  ],
  'quote_tweet_url of slashes': ['/tweet/create', { text: 'x', quote_tweet_url: fill('/', MiB - 200) }],
  'tweet_id of 1 MB of digits': ['/tweet/favorite', { tweet_id: fill('1', MiB - 200) }],
  'username of 1 MB': ['/user/follow', { username: fill('@', MiB - 200) }],
  'emoji of 1 MB': [
    '/dm/react',
    { conversation_id: '1:2', seq_id: '1', emoji: fill('👩‍👩‍👧‍👧', 240_000), encryption_code: '1234' },
  ],
  'conversation_id of 1 MB': [
    '/dm/send',
    { conversation_id: fill('1:', MiB - 300), text: 'x', encryption_code: '1234' },
  ],
  'message of 1 MB': ['/dm/send', { user_id: '1', text: fill('語', 300_000), encryption_code: '1234' }],
  'webhook events, 100,000': ['/webhooks', { url: 'https://a.example/', events: Array(100_000).fill('tweet.like') }],
  'webhook URL of 1 MB': ['/webhooks', { url: `https://a.example/${fill('%41/../', MiB - 200)}` }],
  'webhook host of 1 MB': ['/webhooks', { url: `https://${fill('a.', MiB - 200)}example/` }],
  'webhook host in punycode': ['/webhooks', { url: `https://${fill('ü.', 500_000)}example/` }],
  'proxy of 1 MB': ['/tweet/favorite', { tweet_id: '1', proxy: `http://${fill('a:b@', MiB - 200)}c.d:1` }],
  'article of 1 MB of titles': ['/article/create', { title: fill('語', 300_000), content: 'x' }],
};

export const attacks: Attacks = {
  ...attacksOf('search: ', searches, (q) => get('/tweet/advanced_search', { q })),
  ...attacksOf('field: ', fields, ([path, body]) => calls('POST', path, body)),
  'field: encryption codes, 50 at once': (target) =>
    target.many(50, 50, (i) => target.rest('GET', `/dm/list?encryption_code=wrong-${i}`)),
  'field: encryption codes of 50 actors at once': async (target) => {
    const sandbox = new SandboxControl(target.demo.sandboxUrl);
    const accounts = await Promise.all(Array.from({ length: 50 }, () => sandbox.mint()));
    await target.begin();
    await target.many(accounts.length, 50, (i) => {
      const headers = { 'x-auth-token': accounts[i]?.authToken ?? '' };
      return target.rest('GET', `/dm/list?encryption_code=wrong-${i}`, undefined, { actor: null, headers });
    });
  },
  'field: cursors': (target) =>
    target.many(200, 10, (i) =>
      target.rest('GET', `/user/followers?userName=grace&cursor=${fill('v1.AAAAAAAA.', 2_000)}${i}`),
    ),
  'usage: every hour of 10,000 years': get('/account/usage', {
    from: '0001-01-01T00:00:00Z',
    to: '9999-12-31T00:00:00Z',
    granularity: 'hour',
  }),
  'usage: 50 times in one GraphQL request': (target) =>
    target.graphql(
      `{account{${many(50, (i) => `u${i}:usage(from:"000${1 + (i % 9)}-01-01T00:00:00Z" granularity:HOUR){calls}`)}}}`,
    ),
  'usage: odd times': (target) =>
    target.many(50, 5, (i) => target.rest('GET', `/account/usage?from=${fill('1', 5_000)}${i}`)),
  'graphql: 100 aliases of searchTweets': (target) =>
    target.graphql(`{${many(100, (i) => `a${i}:searchTweets(q:"a ${i}",first:100){nodes{id text author{name}}}`)}}`),
  'graphql: 39,000 small fields of one read': atLimit(8, 49, 'createdAt'),
  'graphql: 12,000 authors of one read': atLimit(4, 30, 'author{id}'),
  'graphql: 6,000 tweets that are replied to, of one read': atLimit(2, 30, 'inReplyTo{id}'),
  'graphql: 100 nodes that do not exist': (target) => {
    const ids = Array.from({ length: 100 }, (_, i) => Buffer.from(`Tweet:${i}`).toString('base64'));
    return target.graphql('query($ids:[ID!]!){nodes(ids:$ids){id}}', { ids });
  },
  'graphql: 15,000 ids': (target) =>
    target.many(3, 1, () =>
      target.graphql('query($ids:[ID!]!){nodes(ids:$ids){id}}', { ids: Array(15_000).fill('x') }),
    ),
  'graphql: 100 different documents, 20 times': (target) =>
    target.many(2_000, 10, (i) =>
      target.graphql(`{viewer{${many(60, (j) => `a${i % 100}_${j}:name`)}}}`, undefined, { key: 'poor' }),
    ),
  'account: 300 keys of idempotency with 1 MiB': (target) =>
    target.many(100, 5, (i) => {
      const body = { text: `large ${i}`, more: 'a'.repeat(MiB - 500) };
      const headers = { 'idempotency-key': `large-${Date.now()}-${i}` };
      return target.rest('POST', '/tweet/create', body, { headers });
    }),
};
