import { crc32, inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { mosaic } from '../../src/sandbox/media/png.ts';
import { type Json, openSandbox } from './harness.ts';

const sandbox = await openSandbox();

/** Decodes a PNG and returns its size. */
function decoded(bytes: Buffer): { width: number; height: number } {
  expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const data = bytes.subarray(at + 8, at + 8 + length);
    expect(bytes.readUInt32BE(at + 8 + length)).toBe(crc32(bytes.subarray(at + 4, at + 8 + length)));
    chunks.set(bytes.toString('latin1', at + 4, at + 8), data);
    at += 12 + length;
  }
  const [header, packed, palette] = ['IHDR', 'IDAT', 'PLTE'].map((type) => chunks.get(type) ?? Buffer.alloc(0));
  if (header === undefined || packed === undefined) throw new Error('a chunk is missing');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  expect([...header.subarray(8)]).toEqual([4, 3, 0, 0, 0]);
  expect([palette?.length, chunks.get('IEND')?.length]).toEqual([48, 0]);
  const rows = inflateSync(packed);
  expect(rows.length).toBe(height * (Math.ceil(width / 2) + 1));
  for (let row = 0; row < height; row++) expect(rows[row * (Math.ceil(width / 2) + 1)]).toBeLessThan(5);
  return { width, height };
}

async function picture(url: string): Promise<{ width: number; height: number }> {
  const response = await fetch(url);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(response.headers.get('cache-control')).toContain('max-age');
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.length).toBeLessThan(30_000);
  return decoded(bytes);
}

async function mediaOf(kind: string, count: number): Promise<Json[]> {
  const fields =
    'expansions=attachments.media_keys&media.fields=url,preview_image_url,variants,width,height,duration_ms';
  return (await sandbox.x(`/2/tweets/search/all?query=has:${kind}&max_results=${count}&${fields}`)).body.includes.media;
}

describe('the videos of the dataset', () => {
  test('are MP4 files with the size and duration in the tweet, also in ranges', async () => {
    const videos = (await mediaOf('videos', 30)).filter(({ width }) => width !== undefined);
    expect(videos.length).toBeGreaterThan(20);
    for (const { variants, width, height, duration_ms } of videos) {
      const [{ url: video_url }] = variants;
      const response = await fetch(video_url);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'video/mp4']);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.length).toBeLessThan(10_000);
      expect(moviesOf(bytes)).toEqual({ width, height, duration_ms });
      const part = await fetch(video_url, { headers: { range: 'bytes=4-11' } });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 4-11/${bytes.length}`]);
      expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(4, 12));
      expect((await fetch(video_url, { method: 'HEAD' })).headers.get('content-length')).toBe(String(bytes.length));
      expect((await fetch(video_url, { headers: { range: 'bytes=999999-' } })).status).toBe(416);
    }
  });

  test('are no others', async () => {
    for (const name of ['coffee-1-1', 'coffee-99999999-1', '../clip', '']) {
      expect((await fetch(`${sandbox.url}/media/videos/${name}.mp4`)).status, name).toBe(404);
    }
  });
});

/** Returns the size and the duration from the boxes of an MP4 file. All boxes must contain the same duration. */
function moviesOf(bytes: Buffer) {
  const at = (type: string, offset: number) => bytes.readUInt32BE(bytes.indexOf(type) + 4 + offset);
  const duration_ms = at('mvhd', 16);
  const ticks = (duration_ms * at('mdhd', 12)) / at('mvhd', 12);
  expect([at('mvhd', 12), at('tkhd', 20)]).toEqual([1_000, duration_ms]);
  expect([at('mdhd', 16), at('stts', 8) * at('stts', 12)]).toEqual([ticks, ticks]);
  return { width: at('tkhd', 76) / 65_536, height: at('tkhd', 80) / 65_536, duration_ms };
}

describe('the pictures of the dataset', () => {
  test('include avatars and banners with the size in their names', async () => {
    const user = (await sandbox.x('/2/users/me?user.fields=profile_image_url,profile_banner_url')).body.data;
    expect(await picture(user.profile_image_url)).toEqual({ width: 400, height: 400 });
    expect(await picture(user.profile_banner_url)).toEqual({ width: 1500, height: 500 });
  });

  test.each(['images', 'videos'])('include %s with the size in the tweet', async (kind) => {
    const media = await mediaOf(kind, 10);
    expect(media.length).toBeGreaterThan(7);
    for (const { url, preview_image_url: preview, width, height } of media) {
      const size = await picture(url ?? preview);
      if (width !== undefined) expect(size).toEqual({ width, height });
    }
  });

  test('are no others', async () => {
    for (const path of [
      '/media/avatars/nobody_at_all-400x400.png',
      '/media/avatars/ada-4000x4000.png',
      '/media/photos/coffee-1-1-1200x801.png',
      '/media/photos/coffee-99999999-1-1200x800.png',
      '/media/../package.json',
      '/media/',
    ]) {
      expect((await fetch(sandbox.url + path)).status, path).toBe(404);
    }
  });
});

test('a mosaic depends only on its label', () => {
  expect(mosaic('a', 31, 17)).toEqual(mosaic('a', 31, 17));
  expect(mosaic('a', 31, 17)).not.toEqual(mosaic('b', 31, 17));
  expect(decoded(mosaic('odd', 31, 17))).toEqual({ width: 31, height: 17 });
});
