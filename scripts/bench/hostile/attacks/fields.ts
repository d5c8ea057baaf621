// Attacks with field values that are expensive to check, parse or compare.
const MiB = 1024 * 1024;
const fill = (text, length) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

const post =
  (path, body, times = 3) =>
  (target) =>
    target.many(times, 1, () => target.rest('POST', path, body));
const get =
  (path, query, times = 5) =>
  (target) =>
    target.many(times, 1, () => target.rest('GET', `${path}?${new URLSearchParams(query)}`));

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

export const attacks = {
  ...Object.fromEntries(
    Object.entries(searches).map(([name, q]) => [`search: ${name}`, get('/tweet/advanced_search', { q })]),
  ),
  'field: tweet of 1 MB': post('/tweet/create', { text: fill('a', MiB - 100) }),
  'field: tweet of 1 MB of addresses': post('/tweet/create', { text: fill('a.co ', MiB - 100) }),
  'field: tweet of 25,000 emoji': post('/tweet/create', { text: fill('👩‍👩‍👧‍👧', 200_000) }),
  'field: tweet of 25,000 hashtags and mentions': post('/tweet/create', { text: fill('#a @b http://c.co ', 25_000) }),
  'field: tweet of dots and slashes': post('/tweet/create', { text: fill('http://a.b/.', 25_000) }),
  'field: tweet of combining characters': post('/tweet/create', { text: fill('\u0301', 300_000) }),
  'field: 200,000 media_ids': post('/tweet/create', { text: 'x', media_ids: Array(200_000).fill('1') }),
  'field: 200,000 wrong media_ids': post('/tweet/create', { text: 'x', media_ids: Array(200_000).fill(null) }),
  'field: 60,000 media_urls': post('/tweet/create', { text: 'x', media_urls: Array(60_000).fill('http://a.b/') }),
  'field: quote_tweet_url of 1 MB': post('/tweet/create', {
    text: 'x',
    quote_tweet_url: `https://x.com/${fill('a/', MiB - 200)}status/1`,
  }),
  'field: quote_tweet_url of slashes': post('/tweet/create', { text: 'x', quote_tweet_url: fill('/', MiB - 200) }),
  'field: tweet_id of 1 MB of digits': post('/tweet/favorite', { tweet_id: fill('1', MiB - 200) }),
  'field: username of 1 MB': post('/user/follow', { username: fill('@', MiB - 200) }),
  'field: emoji of 1 MB': post('/dm/react', {
    conversation_id: '1:2',
    seq_id: '1',
    emoji: fill('👩‍👩‍👧‍👧', 240_000),
    encryption_code: '1234',
  }),
  'field: conversation_id of 1 MB': post('/dm/send', {
    conversation_id: fill('1:', MiB - 300),
    text: 'x',
    encryption_code: '1234',
  }),
  'field: message of 1 MB': post('/dm/send', { user_id: '1', text: fill('語', 300_000), encryption_code: '1234' }),
  'field: encryption codes, 50 at once': (target) =>
    target.many(50, 50, (i) => target.rest('GET', `/dm/list?encryption_code=wrong-${i}`)),
  'field: encryption codes of 50 actors at once': async (target) => {
    const response = await fetch(`${target.demo.sandboxUrl}/control/accounts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ count: 50 }),
    });
    const { accounts = [] } = await response.json();
    await target.begin();
    await target.many(accounts.length, 50, (i) =>
      target.rest('GET', `/dm/list?encryption_code=wrong-${i}`, undefined, {
        actor: null,
        headers: { 'x-auth-token': accounts[i].authToken ?? accounts[i].auth_token ?? 'x' },
      }),
    );
  },
  'field: webhook events, 100,000': post('/webhooks', {
    url: 'https://a.example/',
    events: Array(100_000).fill('tweet.like'),
  }),
  'field: webhook URL of 1 MB': post('/webhooks', { url: `https://a.example/${fill('%41/../', MiB - 200)}` }),
  'field: webhook host of 1 MB': post('/webhooks', { url: `https://${fill('a.', MiB - 200)}example/` }),
  'field: webhook host in punycode': post('/webhooks', { url: `https://${fill('ü.', 500_000)}example/` }),
  'field: proxy of 1 MB': post('/tweet/favorite', { tweet_id: '1', proxy: `http://${fill('a:b@', MiB - 200)}c.d:1` }),
  'field: article of 1 MB of titles': post('/article/create', { title: fill('語', 300_000), content: 'x' }),
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
      `{account{${Array.from({ length: 50 }, (_, i) => `u${i}:usage(from:"000${1 + (i % 9)}-01-01T00:00:00Z" granularity:HOUR){calls}`).join(' ')}}}`,
    ),
  'usage: odd times': (target) =>
    target.many(50, 5, (i) => target.rest('GET', `/account/usage?from=${fill('1', 5_000)}${i}`)),
  'graphql: 100 aliases of searchTweets': (target) =>
    target.graphql(
      `{${Array.from({ length: 100 }, (_, i) => `a${i}:searchTweets(q:"a ${i}",first:100){nodes{id text author{name}}}`).join(' ')}}`,
    ),
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
      target.graphql(
        `{viewer{${Array.from({ length: 60 }, (_, j) => `a${i % 100}_${j}:name`).join(' ')}}}`,
        undefined,
        {
          key: 'poor',
        },
      ),
    ),
  'account: 300 keys of idempotency with 1 MiB': (target) =>
    target.many(100, 5, (i) =>
      target.rest(
        'POST',
        '/tweet/create',
        { text: `large ${i}`, more: 'a'.repeat(MiB - 500) },
        {
          headers: { 'idempotency-key': `large-${Date.now()}-${i}` },
        },
      ),
    ),
};
