import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from './harness.ts';

let sandbox: OpenSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

/** Sends a form as a browser does, and returns the page or the place that the browser goes to next. */
async function submit(form: string, fields: Record<string, string>, cookie = '', headers: Record<string, string> = {}) {
  const response = await fetch(`${sandbox.url}/i/do/${form}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: sandbox.url, referer: `${sandbox.url}/grace`, cookie, accept: 'text/html', ...headers },
    body: new URLSearchParams(fields),
  });
  return {
    status: response.status,
    location: response.headers.get('location'),
    cookie: response.headers.get('set-cookie') ?? '',
    text: await response.text(),
  };
}

async function page(path: string, cookie = '') {
  const response = await fetch(sandbox.url + path, { headers: { accept: 'text/html', cookie } });
  return { status: response.status, text: await response.text() };
}

async function signIn(user: string): Promise<string> {
  const { cookie } = await submit('sign-in', { user });
  return cookie.split(';')[0] ?? '';
}

describe('the site of the sandbox', () => {
  let ada: string;
  beforeEach(async () => {
    ada = await signIn('ada');
  });

  test('welcomes visitors with users to sign in as, and popular tweets', async () => {
    const { status, text } = await page('/');
    expect(status).toBe(200);
    expect(text).toContain('value="ada"');
    expect(text.match(/<article/g)).toHaveLength(20);
    expect(text).not.toContain('/i/do/like');
  });

  test('shows protected tweets to followers only', async () => {
    expect((await page('/linus')).text).toContain('This account is protected');
    expect((await page('/linus', await signIn('linus'))).text).toContain('/linus/status/');
  });

  test('shows the home timeline page after page', async () => {
    const first = await page('/', ada);
    const [, next = ''] = /href="(\/\?cursor=[^"]+)"/.exec(first.text) ?? [];
    const second = await page(next, ada);
    const ids = [...(first.text + second.text).matchAll(/<article class="tweet" id="t(\d+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(40);
  });

  test('posts, replies and quotes as the API would', async () => {
    const posted = await submit('tweet', { text: 'Written in a form\r\nof two lines' }, ada);
    const id = /#t(\d+)$/.exec(posted.location ?? '')?.[1] ?? '';
    expect((await sandbox.get(`/api/tweets/${id}`)).body.tweet.text).toBe('Written in a form\nof two lines');
    const replied = await submit('tweet', { text: 'An answer', reply_to_id: id }, ada);
    expect((await page(replied.location ?? '', ada)).text).toContain('Written in a form');
    await submit('tweet', { text: 'A quote', quote_of_id: id }, ada);
    const { counts } = (await sandbox.get(`/api/tweets/${id}`)).body.tweet;
    expect(counts).toMatchObject({ replies: 1, quotes: 1 });
  });

  test('keeps a text that cannot be posted, and says why', async () => {
    const text = 'Said <twice>';
    await submit('tweet', { text }, ada);
    const again = await submit('tweet', { text }, ada);
    expect(again.status).toBe(409);
    expect(again.text).toContain('role="alert">Status is a duplicate.');
    expect(again.text).toContain('>Said &#60;twice&#62;</textarea>');
  });

  test('likes, retweets, bookmarks and follows, and undoes them', async () => {
    const id = (await sandbox.search({ q: 'from:grace', count: 1 })).body.tweets[0].id;
    const viewer = async () => (await sandbox.get(`/api/tweets/${id}`)).body.tweet.viewer;
    for (const form of ['like', 'retweet', 'bookmark']) {
      expect(await submit(form, { id }, ada)).toMatchObject({ status: 303, location: `/grace#t${id}` });
    }
    expect(await viewer()).toEqual({ liked: true, retweeted: true, bookmarked: true });
    expect((await page('/i/bookmarks', ada)).text).toContain(`id="t${id}"`);
    for (const form of ['unlike', 'unretweet', 'unbookmark']) await submit(form, { id }, ada);
    expect(await viewer()).toEqual({ liked: false, retweeted: false, bookmarked: false });

    const { user } = (await sandbox.get('/api/users/by/citytrams')).body;
    await submit(user.viewer.following ? 'unfollow' : 'follow', { id: user.id }, ada);
    const after = (await sandbox.get('/api/users/by/citytrams')).body.user.viewer.following;
    expect(after).toBe(!user.viewer.following);
  });

  test('deletes an own tweet only', async () => {
    const { tweet } = (await sandbox.tweet('To be deleted')).body;
    expect((await submit('delete', { id: tweet.id }, await signIn('grace'))).status).toBe(403);
    expect((await submit('delete', { id: tweet.id }, ada)).status).toBe(303);
    expect((await page(`/ada/status/${tweet.id}`, ada)).status).toBe(404);
  });

  test('sends and opens messages of both sides', async () => {
    expect((await submit('message', { to: 'grace', text: 'Sealed & sent' }, ada)).location).toBe(
      '/i/messages/grace#text',
    );
    expect((await page('/i/messages/grace', ada)).text).toContain('Sealed &#38; sent');
    const grace = await signIn('grace');
    expect((await page('/i/messages/ada', grace)).text).toContain('Sealed &#38; sent');
    expect((await page('/i/messages', grace)).text).toContain('href="/i/messages/ada"');
    const { text } = await sandbox.call('GET', '/api/chat/conversations', { as: sandbox.ada }).then(({ body }) => ({
      text: JSON.stringify(body),
    }));
    expect(text).not.toContain('Sealed');
  });

  test('lists notifications, newest first', async () => {
    await submit('events', { type: 'follow', userName: 'grace', count: '1' });
    await submit('events', { type: 'mention', userName: 'grace', count: '1' });
    const { text } = await page('/i/notifications', await signIn('grace'));
    expect(text.indexOf('mentioned you')).toBeGreaterThan(0);
    expect(text.indexOf('mentioned you')).toBeLessThan(text.indexOf('followed you'));
  });

  test('searches tweets and people', async () => {
    expect((await page('/i/search?q=from%3Agrace', ada)).text.match(/<article class="tweet"/g)).toHaveLength(20);
    expect((await page('/i/search?q=grace&f=users', ada)).text).toContain('href="/grace"');
    expect((await page('/i/search?q=nobody%3Asays', ada)).status).toBe(400);
  });

  test('shows drafts of articles to their author only', async () => {
    const { article } = (await sandbox.call('POST', '/api/articles', { as: sandbox.ada })).body;
    const path = new URL(article.draft_url).pathname;
    expect((await page('/i/articles', ada)).text).toContain(path);
    expect((await page(path, ada)).text).toContain('A draft');
    expect((await page(path, await signIn('grace'))).status).toBe(404);
    expect((await page(path)).status).toBe(404);
  });

  test.each(['/i/notifications', '/i/messages', '/i/bookmarks', '/i/articles', '/i/compose'])(
    '%s asks visitors to sign in',
    async (path) => {
      expect(await page(path)).toMatchObject({ status: 401, text: expect.stringContaining('Sign in as') });
    },
  );

  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['gzip;q=0, identity', null],
    ['', null],
  ])('is compressed for a browser that accepts "%s"', async (accepted, encoding) => {
    for (const path of ['/grace', '/media/page.css']) {
      const response = await fetch(sandbox.url + path, {
        headers: { 'accept-encoding': accepted, accept: 'text/html' },
      });
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(response.headers.get('vary')).toBe('accept-encoding');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await response.text()).toMatch(/Grace Hollis|color-scheme/);
    }
  });

  test('loads files that a browser keeps until their content changes', async () => {
    const { text } = await page('/');
    const files = [...text.matchAll(/<link [^>]*href="([^"]+)"/g)].map(([, url = '']) => url);
    expect(files).toEqual([expect.stringMatching(/icon\.svg\?v=/), expect.stringMatching(/page\.css\?v=/)]);
    const caching = async (url: string) => (await fetch(sandbox.url + url)).headers.get('cache-control');
    for (const url of files) {
      expect(await caching(url)).toBe('public, max-age=31536000, immutable');
      expect(await caching(url.replace(/v=.*/, 'v=other'))).toBe('no-cache');
    }
  });

  test('ends a session', async () => {
    const { cookie } = await submit('sign-out', {}, ada);
    expect(cookie).toMatch(/^sandbox_session=; Max-Age=0/);
  });
});

describe('the lab', () => {
  test('makes events', async () => {
    const { location } = await submit('events', { type: 'like', userName: 'ada', count: '3' });
    expect(location).toBe('/i/lab?done=events&user=ada');
    expect((await page(location ?? '')).text.match(/liked your tweet/g)?.length).toBeGreaterThanOrEqual(3);
  });

  test('adds and removes faults', async () => {
    await submit('fault', { fault: 'overloaded', operation: 'search', times: '1' });
    expect((await page('/i/lab')).text).toContain('for search, 1 more time');
    expect((await sandbox.search({ q: 'coffee' })).status).toBe(503);
    await submit('fault', { fault: 'internal', operation: '', times: '5' });
    await submit('clear-faults', {});
    expect((await sandbox.search({ q: 'coffee' })).status).toBe(200);
  });

  test('sets and removes the rate limit', async () => {
    await submit('rate-limit', { limit: '0', window_seconds: '60' });
    expect((await sandbox.get('/api/me')).status).toBe(429);
    await submit('rate-limit', { limit: '', window_seconds: '60' });
    expect((await sandbox.get('/api/me')).status).toBe(200);
  });

  test('creates accounts with their tokens', async () => {
    await submit('account', { userName: 'lab_rat' });
    const { text } = await page('/i/lab');
    const [, token = ''] = /@lab_rat<\/a><\/th><td><code>(\w+)</.exec(text) ?? [];
    const me = await fetch(`${sandbox.url}/api/me`, { headers: { cookie: `auth_token=${token}` } });
    expect(await me.json()).toMatchObject({ user: { screen_name: 'lab_rat' } });
    expect((await submit('account', { userName: 'lab_rat' })).status).toBe(409);
  });

  test('shows live events and requests, and loads itself again', async () => {
    const response = await fetch(`${sandbox.url}/i/lab/live?user=ada`);
    expect(response.headers.get('refresh')).toBe('2');
    expect(await response.text()).toContain('Live: @ada');
  });

  test('resets the sandbox', async () => {
    await submit('account', { userName: 'for_a_day' });
    await submit('reset', {});
    expect((await page('/for_a_day')).status).toBe(404);
  });
});

describe('a form is refused', () => {
  test.each([
    ['of another site', 'http://evil.example'],
    ['of another port of this machine', 'http://127.0.0.1:1'],
    ['without an origin', ''],
    ['of a page without an origin', 'null'],
  ])('%s', async (_name, origin) => {
    const { status } = await submit('events', { type: 'like', userName: 'ada', count: '1' }, '', { origin });
    expect(status).toBe(403);
  });

  test('that is larger than 256 KiB', async () => {
    expect((await submit('tweet', { text: 'a'.repeat(300_000) }, await signIn('ada'))).status).toBe(413);
  });

  test('for a user without credentials', async () => {
    expect((await submit('sign-in', { user: 'citytrams' })).status).toBe(403);
  });

  test('if its name is unknown', async () => {
    expect((await submit('constructor', {})).status).toBe(404);
  });
});

describe('the session cookie', () => {
  test('is invisible to scripts and to other sites, and names no token', async () => {
    const { cookie } = await submit('sign-in', { user: 'ada' });
    expect(cookie).toMatch(/^sandbox_session=\d+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(sandbox.ada.authToken);
  });

  test('gives no access to the API, and a changed one none to the site', async () => {
    const cookie = await signIn('ada');
    expect((await fetch(`${sandbox.url}/api/me`, { headers: { cookie } })).status).toBe(401);
    const forged = cookie.replace(sandbox.ada.userId, sandbox.grace.userId);
    expect((await page('/i/bookmarks', forged)).status).toBe(401);
  });
});
