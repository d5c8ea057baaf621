import { describe, expect, test } from 'vitest';
import { startOrigin } from '../media/origin.ts';
import { cleaned, geotagged, gif, mp4, png } from '../media/pictures.ts';
import { articleIn, first, startArticleFixture, type Writer } from './fixture.ts';

const origin = await startOrigin();
const fixture = await startArticleFixture();

async function uploaded(writer: Writer, bytes: Buffer, type: string): Promise<string> {
  const media_data = bytes.toString('base64');
  const { body } = await writer.client.post('/media/upload', { media_data, media_type: type });
  return String(body.data['media_id']);
}

const addressesIn = (content: unknown) =>
  [...String(content).matchAll(/!\[[^\]]*\]\((\S+?)(?: "[^"]*")?\)/g)].map(([, url]) => url ?? '');

async function bytesAt(url = ''): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}

describe.each(['REST', 'GraphQL'] as const)('over %s', (face) => {
  test('a cover comes by id, by address, as base64 and as a data: URI, and is changed alone', async () => {
    const writer = await fixture.writer(face);
    const id = await uploaded(writer, png(), 'image/png');
    const covers = [
      { cover_media_id: id },
      { cover_image_url: origin.serve('/cover.jpg', geotagged) },
      { cover_image_base64: png(31, 31).toString('base64') },
      { cover_image_base64: `data:image/jpeg;base64,${geotagged.toString('base64')}` },
    ];
    for (const cover of covers) {
      const made = await writer.act('create', { ...first, ...cover });
      expect(made.status, String(made.error)).toBe(200);
      const cover_media_id = 'cover_media_id' in cover ? id : expect.stringMatching(/^\d+$/);
      expect(made.data['cover_media_id']).toEqual(cover_media_id);
    }
    const article_id = await articleIn('published', writer);
    for (const cover of covers) {
      const { data } = await writer.act('update', { article_id, ...cover });
      const now = (await writer.read(article_id))['cover_media_id'];
      expect(data['updated']).toEqual({ title: false, content: false, cover_media_id: now });
      expect(await writer.read(article_id)).toMatchObject({ ...first, status: 'published' });
    }
    const [wrapper] = await writer.wrappers();
    const [{ url = '' } = {}] = (wrapper?.['media'] ?? []) as { url: string }[];
    expect(await bytesAt(url)).toEqual(cleaned);
  });

  test('images inside are fetched once and shown by the platform; read back and sent again, they are not fetched again', async () => {
    const writer = await fixture.writer(face);
    const [one, two] = [origin.serve('/one.jpg', geotagged), origin.serve('/two.gif', gif)];
    const asked = origin.asked.length;
    const content = `![One](${one} "The first") and ![two](${two})\n\n[![again](${one})](https://a.example/)`;
    const made = await writer.act('create', { ...first, content, publish: true });
    expect(made.status, String(made.error)).toBe(200);
    expect(origin.asked.length - asked).toBe(2);
    const article_id = String(made.data['article_id']);
    const shown = (await writer.read(article_id))['content'];
    const addresses = addressesIn(shown);
    expect(addresses).toHaveLength(3);
    expect(addresses.every((url) => url.startsWith(fixture.service.demo.sandboxUrl))).toBe(true);
    expect([await bytesAt(addresses[0]), await bytesAt(addresses[1])]).toEqual([cleaned, gif]);
    expect(shown).toBe(content.replaceAll(one, addresses[0] ?? '').replaceAll(two, addresses[1] ?? ''));

    const [again, calls] = await fixture.sandbox.requestsDuring(() =>
      writer.act('update', { article_id, content: `${shown}\n\nMore` }),
    );
    expect(again.status, String(again.error)).toBe(200);
    expect(calls['mediaUpload']).toBeUndefined();
    expect((await writer.read(article_id))['content']).toBe(`${shown}\n\nMore`);

    const missing = await writer.act('update', { article_id, content: `${shown}\n\n![](${origin.url}/missing.png)` });
    expect(missing.error).toMatch(/^Malformed field: content: image 3: cannot be fetched/);

    const other = await fixture.writer(face);
    const stolen = await other.act('create', { ...first, content: String(shown) });
    expect([stolen.status, stolen.error]).toEqual([404, expect.stringMatching(/^Media not found: \d+$/)]);
    expect(await other.list()).toEqual([]);
  });

  test('an image can be in the Markdown itself', async () => {
    const writer = await fixture.writer(face);
    const content = `![dot](data:image/png;base64,${png(9, 9).toString('base64')})`;
    const { data } = await writer.act('create', { ...first, content });
    const [address] = addressesIn((await writer.read(String(data['article_id'])))['content']);
    expect(await bytesAt(address)).toEqual(png(9, 9));
  });

  test('pictures are checked before the article is changed', async () => {
    const writer = await fixture.writer(face);
    const article_id = await articleIn('published', writer);
    const before = await writer.read(article_id);
    const video = await uploaded(writer, mp4(), 'video/mp4');
    const theirs = await uploaded(await fixture.writer(), png(), 'image/png');
    const page = origin.serve('/page.png', Buffer.from('<!doctype html><p>Not here</p>'), 'image/png');
    const good = origin.serve('/good.png', png());
    const wrong: [object, number, RegExp][] = [
      [{ cover_media_id: '1' }, 404, /^Media not found: 1$/],
      [{ cover_media_id: theirs }, 404, /^Media not found: /],
      [{ cover_media_id: video }, 400, / is a video: an article shows pictures only$/],
      [{ cover_image_url: page }, 400, /cover_?image_?url/i],
      [{ cover_image_url: 'http://10.0.0.1/x.png' }, 400, /cover_?image_?url/i],
      [{ cover_image_url: origin.serve('/v.mp4', mp4()) }, 400, /cover_?image_?url/i],
      [{ cover_image_base64: 'not base64!' }, 400, /cover_?image_?base64/i],
      [{ content: `![](${good}) ![](${page})` }, 400, /^Malformed field: content: image 2/],
      [{ content: `![](${origin.url}/missing.png)` }, 400, /^Malformed field: content: image 1/],
      [{ content: '![](http://169.254.169.254/latest)' }, 400, /^Malformed field: content: image 1/],
      [{ content: '![](data:text/html;base64,PGI+)' }, 400, /^Malformed field: content: image 1/],
    ];
    for (const [input, status, error] of wrong) {
      const [refused, calls] = await fixture.sandbox.requestsDuring(() =>
        writer.act('update', { article_id, ...input }),
      );
      expect(refused.status, JSON.stringify(input)).toBe(status);
      expect(refused.error).toMatch(error);
      for (const write of ['unpublishArticle', 'changeArticle', 'mediaUpload']) expect(calls[write]).toBeUndefined();
      const { status: created } = await writer.act('create', { ...first, ...input });
      expect(created).toBe(status);
    }
    expect(await writer.read(article_id)).toEqual(before);
    expect(await writer.list()).toHaveLength(1);
  });
});

test('a body with a cover may be as large as media needs', async () => {
  const writer = await fixture.writer();
  const large = png(40, 30, { filler: 3 * 1024 * 1024 });
  const { status, error } = await writer.act('create', { ...first, cover_image_base64: large.toString('base64') });
  expect(status, String(error)).toBe(200);
});
