import { expect, test } from 'vitest';
import { startOrigin } from '../media/origin.ts';
import { png } from '../media/pictures.ts';
import { articleIn, first, startArticleFixture } from './fixture.ts';

const origin = await startOrigin();
const fixture = await startArticleFixture();

async function page(url: unknown): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(String(url), { headers: { accept: 'text/html' } });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

test('a published article is read by everybody, at an address that its wrapper tweet leads to', async () => {
  const writer = await fixture.writer();
  const content = `## Why *looms*

They [**remember**](https://a.example/?a=1&b=2 "so they say"), \`let a = 1\`.

![A loom](${origin.serve('/loom.png', png(41, 31))})

3. three
4. four

> A quote

\`\`\`js
if (a < b) c();
\`\`\`

---`;
  const cover_image_url = origin.serve('/c.png', png());
  const made = await writer.act('create', { ...first, content, publish: true, cover_image_url });
  const { status, text, headers } = await page(made.data['public_url']);
  expect(status).toBe(200);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  for (const part of [
    '<h1>On looms</h1>',
    '<h3>Why <em>looms</em></h3>',
    '<a href="https://a.example/?a=1&#38;b=2" title="so they say" rel="nofollow"><strong>remember</strong></a>',
    '<code>let a = 1</code>',
    'alt="A loom"',
    '<ol start="3"><li><p>three</p>',
    '<blockquote><p>A quote</p>',
    '<pre><code>if (a &#60; b) c();</code></pre>',
    '<hr>',
    'class="banner"',
  ]) {
    expect(text).toContain(part);
  }
  for (const [, path] of text.matchAll(/<img[^>]* src="([^"]+)"/g)) {
    expect(path).toMatch(/^\/media\//);
    expect((await fetch(fixture.service.demo.sandboxUrl + path)).status).toBe(200);
  }
  const tweet = (await writer.client.get('/tweet/detail', { tweet_id: String(made.data['tweet_id']) })).body.data;
  expect((await page(tweet['url'])).text).toContain(`href="${new URL(String(made.data['public_url'])).pathname}"`);
});

test('a draft is shown at its own address only, and a published article at its public address', async () => {
  const writer = await fixture.writer();
  const article_id = await articleIn('draft', writer);
  const { draft_url } = await writer.read(article_id);
  const shown = await page(draft_url);
  expect([shown.status, shown.text.includes('<h1>On looms</h1>')]).toEqual([200, true]);
  const would = String(draft_url).replace('/drafts/', '/articles/');
  expect((await page(would)).status).toBe(404);

  await writer.act('publish', { article_id });
  const { public_url } = await writer.read(article_id);
  expect(public_url).toBe(would);
  expect((await page(public_url)).status).toBe(200);
  await writer.act('unpublish', { article_id });
  expect((await page(public_url)).status).toBe(404);
  await writer.act('delete', { article_id });
  expect((await page(draft_url)).status).toBe(404);
});

test('raw HTML and scripts are text and do not run', async () => {
  const writer = await fixture.writer();
  const evil = [
    '<script>alert(1)</script>',
    'a <img src=x onerror=alert(1)> b <b>bold</b>',
    '<!-- hidden -->',
    '[click](javascript:alert(1)) [data](data:text/html;base64,PHNjcmlwdD4=) [vb](vbscript:x) <javascript:alert(1)>',
    '`<svg onload=alert(1)>`',
    '```\n</code></pre><script>alert(1)</script>\n```',
    '[x](https://a.example/"onmouseover="alert(1) "t\\" onclick=\\"alert(1)")',
  ];
  const title = '<script>alert("title")</script>';
  const made = await writer.act('create', { title, content: evil.join('\n\n'), publish: true });
  expect(made.status, String(made.error)).toBe(200);
  const stored = await fetch(`${fixture.service.demo.sandboxUrl}/sandbox/articles/${made.data['article_id']}`, {
    headers: { authorization: `Bearer ${writer.account.authToken}` },
  });
  const { data: article } = (await stored.json()) as {
    data: { content: { blocks: { type: string }[]; entities: { url: string }[] } };
  };
  expect(new Set(article.content.blocks.map(({ type }) => type))).toEqual(new Set(['unstyled', 'code-block']));
  expect(article.content.entities.map(({ url }) => new URL(url).protocol)).toEqual(['https:']);

  const { text } = await page(made.data['public_url']);
  const [, content = ''] = /<main[^>]*>(.*)<\/main>/s.exec(text) ?? [];
  const tags = new Set([...content.matchAll(/<([a-z][a-z0-9]*)/gi)].map(([, tag]) => tag));
  for (const tag of ['script', 'svg', 'b']) expect(tags.has(tag)).toBe(false);
  // Attribute values are removed.
  expect(text.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\son\w+=/i);
  expect(content).not.toMatch(/(?:href|src)="(?!\/|https:\/\/a\.example\/)/);
  expect(text).toContain('&#60;script&#62;alert(1)&#60;/script&#62;');
});

test('an article of a protected author is returned to followers only, and its page shows nothing', async () => {
  const account = await fixture.sandbox.mint({ premium: true, protected: true });
  const other = await fixture.writer();
  const author = other.client.with({ authToken: account.authToken });
  const made = (await author.post('/article/create', { ...first, publish: true })).body.data;
  for (const folder of ['articles', 'drafts']) {
    const url = String(made['public_url']).replace('/articles/', `/${folder}/`);
    expect((await page(url)).status).toBe(403);
  }
  expect((await other.client.get('/article/detail', { article_id: String(made['article_id']) })).status).toBe(403);
});
