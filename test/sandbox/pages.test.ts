import { get } from 'node:http';
import { describe, expect, test } from 'vitest';
import { openSandbox } from './harness.ts';

const sandbox = await openSandbox();

async function page(path: string) {
  const response = await fetch(sandbox.url + path, { headers: { accept: 'text/html' } });
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'/,
  );
  const text = await response.text();
  expect(text).not.toMatch(/<script|<form|style="|\son\w+="/);
  return { status: response.status, text };
}

describe('an HTML page', () => {
  test('shows a user and the latest tweets at the URL in the API', async () => {
    const { profile_image_url: avatar } = await sandbox.user('grace');
    const { status, text } = await page('/grace');
    expect(status).toBe(200);
    expect(text).toContain('Grace Hollis');
    expect(text).toContain(new URL(avatar).pathname);
    expect(text.match(/<article/g)?.length).toBe(20);
  });

  test('shows a tweet and its quoted tweet, and escapes their texts', async () => {
    const { id } = (await sandbox.tweet('Look at <script>alert(1)</script> & "this"', sandbox.grace)).body.data;
    const shown = await page(`/grace/status/${id}`);
    expect(shown.status).toBe(200);
    const escaped = 'Look at &#60;script&#62;alert(1)&#60;/script&#62; &#38; &#34;this&#34;';
    expect(shown.text).toContain(escaped);
    const quoting = (await sandbox.tweet('As she says', sandbox.ada, { quoteOf: id })).body.data;
    const quote = await page(`/ada/status/${quoting.id}`);
    expect([quote.text.includes('As she says'), quote.text.includes(escaped)]).toEqual([true, true]);
  });

  test('shows the pictures of a tweet', async () => {
    const query = 'query=has:images%20from:grace&expansions=attachments.media_keys&media.fields=url';
    const { data, includes } = (await sandbox.x(`/2/tweets/search/all?${query}`)).body;
    const { text } = await page(`/grace/status/${data[0].id}`);
    expect(text).toContain(`src="${new URL(includes.media[0].url).pathname}"`);
  });

  test('shows nothing of protected, suspended and deleted users', async () => {
    const shy = await page('/linus');
    expect([shy.status, shy.text.includes('<article')]).toEqual([200, false]);
    expect(shy.text).toContain('protected');
    const tweets = await sandbox.search('from:linus', sandbox.linus);
    const hidden = await page(`/linus/status/${tweets[0].id}`);
    expect([hidden.status, hidden.text.includes(tweets[0].text)]).toEqual([403, false]);
    const quoting = await sandbox.tweet('Did you see?', sandbox.linus, { quoteOf: tweets[0].id });
    const open = await sandbox.mint();
    expect((await page(`/linus/status/${quoting.body.data.id}`)).status).toBe(403);
    expect((await page(`/${open.userName}`)).text).not.toContain('<article');
    expect((await page('/quickgains')).status).toBe(403);
    expect((await page('/oldlantern')).status).toBe(404);
  });

  test.each(['/nobody_at_all', '/ada/status/1', '/ada/articles/1', '/ada/drafts/1'])(
    '%s says with status 404 that there is nothing',
    async (path) => {
      expect((await page(path)).status).toBe(404);
    },
  );

  test('needs the author in its address', async () => {
    const { id } = (await sandbox.tweet('Mine')).body.data;
    expect((await page(`/grace/status/${id}`)).status).toBe(404);
  });

  test.each(['/', '/a/b/c/d', '/%00', '/i/lab'])('%s is not a page and refused with 404', async (path) => {
    expect((await sandbox.call('GET', path, { unchecked: true })).body.reason).toBe('not_found');
  });

  test('has a stylesheet with a light and a dark mode', async () => {
    const response = await fetch(`${sandbox.url}/media/page.css`);
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(await response.text()).toContain('color-scheme: light dark');
  });

  test('is served for loopback host names only', async () => {
    for (const path of ['/ada', '/media/page.css', '/media/avatars/ada-400x400.png']) {
      const status = await new Promise((resolve, reject) => {
        get(sandbox.url + path, { headers: { host: 'evil.example' } }, (reply) => {
          reply.resume();
          resolve(reply.statusCode);
        }).once('error', reject);
      });
      expect(status).toBe(403);
    }
  });
});
