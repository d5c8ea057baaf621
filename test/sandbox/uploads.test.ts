import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { UploadFiles } from '../../src/sandbox/uploads/files.ts';
import { gif, jpeg, mp4, png, webp } from '../media/pictures.ts';
import { repetitions } from '../support/repetitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Account, type Json, type OpenSandbox, openSandbox, request } from './harness.ts';
import { kill, startChild } from './killable.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let dataDir: string;
let clock: number;
let sandbox: OpenSandbox;
const open = async () => {
  sandbox = await openSandbox({ dataDir, now: () => clock });
};
beforeEach(async () => {
  dataDir = join(temporaryFolder(), 'data');
  clock = Date.now();
  await open();
});

interface Upload {
  as?: Account;
  type?: string;
  token?: string;
  url?: string;
  /** Asks for the extensions of the sandbox. */
  extended?: boolean;
  segment?: number;
  total?: number;
}

/** Sends a form, or a JSON body if there is no file in it. */
async function send(
  path: string,
  fields: Record<string, string | number | Blob>,
  { as = sandbox.ada, token, url = sandbox.url, extended = true }: Upload = {},
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, typeof value === 'number' ? String(value) : value);
  const isForm = 'media' in fields;
  const response = await fetch(`${url}/2/media/upload${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${as.authToken}`,
      ...(extended && { 'x-sandbox-extensions': '1' }),
      ...(!isForm && { 'content-type': 'application/json' }),
      ...(token && { 'idempotency-token': token }),
    },
    body: isForm ? form : JSON.stringify(fields),
  });
  const body: Json = await response.json();
  return {
    status: response.status,
    body,
    id: body.data?.id as string,
    refused: Object.keys(body.errors?.[0]?.parameters ?? {}),
  };
}

const blob = (bytes: Buffer) => new Blob([new Uint8Array(bytes)]);

/** Uploads a picture in one request, and other media in segments. */
async function upload(bytes: Buffer, options: Upload = {}) {
  const { type = 'image/png', segment = 400, total = bytes.length } = options;
  const category = type.startsWith('video/') ? 'tweet_video' : type === 'image/gif' ? 'tweet_gif' : 'tweet_image';
  if (category === 'tweet_image') return send('', { media: blob(bytes), media_category: category }, options);
  const begun = await send('/initialize', { media_type: type, media_category: category, total_bytes: total }, options);
  if (begun.status !== 200) return begun;
  for (let at = 0, index = 0; at < bytes.length; at += segment, index++) {
    const media = blob(bytes.subarray(at, at + segment));
    const appended = await send(`/${begun.id}/append`, { media, segment_index: index }, options);
    if (appended.status !== 200) return appended;
  }
  return send(`/${begun.id}/finalize`, {}, options);
}

const files = () => readdirSync(join(dataDir, 'media')).sort();
const at = (name: string, headers: Record<string, string> = {}) =>
  fetch(`${sandbox.url}/media/uploads/${name}`, { headers });

describe('an upload', () => {
  test.each([
    ['image/png', png(), 'png'],
    ['image/jpeg', jpeg, 'jpg'],
    ['image/gif', gif, 'gif'],
    ['image/webp', webp, 'webp'],
    ['video/mp4', mp4(), 'mp4'],
  ])('of %s is served as it came, and after a restart too', async (type, bytes, extension) => {
    const { status, id } = await upload(bytes, { type });
    expect(status).toBe(200);
    await sandbox.close();
    await open();
    const response = await at(`${id}.${extension}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await at(`${id}.html`)).status).toBe(404);
  });

  test('is served in ranges', async () => {
    const bytes = mp4();
    const { id } = await upload(bytes, { type: 'video/mp4' });
    const part = async (range: string) => {
      const response = await at(`${id}.mp4`, { range });
      return [
        response.status,
        response.headers.get('content-range'),
        Buffer.from(await response.arrayBuffer()),
      ] as const;
    };
    const { length } = bytes;
    expect(await part('bytes=0-3')).toEqual([206, `bytes 0-3/${length}`, bytes.subarray(0, 4)]);
    expect(await part('bytes=10-')).toEqual([206, `bytes 10-${length - 1}/${length}`, bytes.subarray(10)]);
    expect(await part('bytes=-5')).toEqual([206, `bytes ${length - 5}-${length - 1}/${length}`, bytes.subarray(-5)]);
    expect(await part('bytes=0-999999')).toEqual([206, `bytes 0-${length - 1}/${length}`, bytes]);
    expect((await part(`bytes=${length}-`)).slice(0, 2)).toEqual([416, `bytes */${length}`]);
    expect((await part('lines=1-2'))[0]).toBe(200);
  });

  test('is refused without stored bytes if its type or size is wrong', async () => {
    const refused = async (bytes: Buffer, options: Upload = {}) => {
      const { status, refused } = await upload(bytes, options);
      return [status, ...refused];
    };
    expect(await refused(Buffer.from('<html>'))).toEqual([400, 'media']);
    expect(await refused(Buffer.alloc(0))).toEqual([400, 'media']);
    expect(await refused(gif, { type: 'image/png' })).toEqual([400, 'media']);
    expect(await refused(png(40, 30, { filler: 5 * 1024 * 1024 }))).toEqual([400, 'total_bytes']);
    expect(await refused(mp4(), { type: 'video/webm' })).toEqual([400, 'media_type']);
    expect(await refused(gif, { type: 'video/mp4' })).toEqual([400, 'media']);
    expect(await refused(mp4(), { type: 'video/mp4', total: 10 })).toEqual([400, 'media']);
    expect(await refused(mp4(), { type: 'video/mp4', total: 1e4 })).toEqual([400, 'id']);
    expect(await refused(mp4(), { type: 'video/mp4', total: 6e8 })).toEqual([400, 'total_bytes']);
    expect(await refused(mp4({ seconds: 141 }), { type: 'video/mp4', extended: false })).toEqual([400, 'media']);
    expect(files().filter((name) => !name.startsWith('.part-'))).toEqual([]);
  });

  test('loses what a failed append left behind', async () => {
    const files = new UploadFiles(temporaryFolder());
    for (const [size, text] of [
      [0, 'ab'],
      [2, 'cut'],
      [2, 'c'],
    ] as const)
      await files.append('part', size, Buffer.from(text));
    expect(files.sizeOf('part')).toBe(3);
  });

  test('takes base64 in JSON, and segments in their order, each of them again', async () => {
    const bytes = mp4();
    const { id } = await send('/initialize', {
      media_type: 'video/mp4',
      media_category: 'tweet_video',
      total_bytes: bytes.length,
    });
    const append = async (index: number, part: Buffer) => {
      const body = { media: part.toString('base64'), segment_index: index };
      return (await sandbox.x(`/2/media/upload/${id}/append`, sandbox.ada, { method: 'POST', body })).status;
    };
    expect([await append(1, bytes), await append(0, bytes.subarray(0, 500))]).toEqual([400, 200]);
    expect([await append(0, bytes.subarray(0, 500)), await append(1, bytes.subarray(500))]).toEqual([200, 200]);
    const { body } = await send(`/${id}/finalize`, {});
    expect(body.data).toMatchObject({
      id,
      media_key: `7_${id}`,
      size: bytes.length,
      video: { video_type: 'video/mp4' },
    });
    expect((await send(`/${id}/append`, { media: blob(bytes), segment_index: 0 }, { as: sandbox.grace })).status).toBe(
      404,
    );
  });

  test('of a video is processed for a second on X, and at once with the extensions', async () => {
    const { body, id } = await upload(mp4(), { type: 'video/mp4', extended: false });
    expect(body.data.processing_info).toEqual({ state: 'pending', check_after_secs: 1 });
    const status = async () => {
      const headers = { authorization: `Bearer ${sandbox.ada.authToken}` };
      const path = `/2/media/upload?command=STATUS&media_id=${id}`;
      return (await sandbox.call('GET', path, { headers, unchecked: true })).body.data.processing_info.state;
    };
    const early = await sandbox.tweet('Too early', sandbox.ada, { media: [id] });
    expect(early.status).toBe(400);
    clock += 600;
    expect(await status()).toBe('in_progress');
    clock += 400;
    expect(await status()).toBe('succeeded');
    expect((await sandbox.tweet('In time', sandbox.ada, { media: [id] })).status).toBe(201);
    expect((await upload(mp4(), { type: 'video/mp4' })).body.data).not.toHaveProperty('processing_info');
  });

  test('has an alternative text, also after a restart', async () => {
    const { id } = await upload(png());
    const describe = (text: string, as = sandbox.ada) => {
      const body = { id, metadata: { alt_text: { text } } };
      return sandbox.x('/2/media/metadata', as, { method: 'POST', body });
    };
    expect((await describe('A loom')).body.data).toEqual({ id, associated_metadata: { alt_text: { text: 'A loom' } } });
    expect([(await describe('x'.repeat(1_001))).status, (await describe('Mine', sandbox.grace)).status]).toEqual([
      400, 404,
    ]);
    const tweet = (await sandbox.tweet('', sandbox.ada, { media: [id] })).body.data.id;
    await sandbox.close();
    await open();
    const path = `/2/tweets/${tweet}?expansions=attachments.media_keys&media.fields=alt_text`;
    expect((await sandbox.x(path)).body.includes.media).toMatchObject([{ alt_text: 'A loom' }]);
  });

  test.each([
    ['image/png', [png(), png(5, 5)]],
    ['video/mp4', [mp4(), mp4({ bytes: 500 })]],
  ] as const)('of %s with a token is stored once, also with other bytes', async (type, [bytes, other]) => {
    const first = await upload(bytes, { type, token: 'once' });
    const again = await upload(other, { type, token: 'once' });
    expect(again).toMatchObject({ status: 200, id: first.id });
    expect(files()).toHaveLength(1);
    expect((await sandbox.tweet('With that token', sandbox.ada, {}, { 'idempotency-token': 'once' })).status).toBe(409);
  });

  test('that is not attached is deleted after a day; an attached one remains', async () => {
    const [idle, used] = [await upload(png()), await upload(png(7, 7))];
    const tweet = (await sandbox.tweet('', sandbox.ada, { media: [used.id] })).body.data;
    clock += DAY_MS;
    expect((await at(`${idle.id}.png`)).status).toBe(404);
    expect((await at(`${used.id}.png`)).status).toBe(200);
    expect((await sandbox.tweet('Too late', sandbox.ada, { media: [idle.id] })).status).toBe(400);
    const next = await upload(png());
    expect(files()).toEqual([`${used.id}.png`, `${next.id}.png`].sort());
    await sandbox.remove(tweet.id);
    clock += DAY_MS;
    await sandbox.close();
    await open();
    expect(files()).toEqual([]);
  });

  test('is deleted by a reset', async () => {
    const { id } = await upload(png());
    await sandbox.control('reset');
    expect((await at(`${id}.png`)).status).toBe(404);
    await expect.poll(files).toEqual([]);
  });

  test('that was only partly received is deleted at the next start', async () => {
    writeFileSync(join(dataDir, 'media', '.part-1'), 'half');
    await sandbox.close();
    await open();
    expect(files()).toEqual([]);
  });

  test('leaves no files if the sandbox has no folder', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('postern-sandbox-')).length;
    const other = await openSandbox();
    expect((await upload(png(), { url: other.url, as: other.ada })).status).toBe(200);
    await other.close();
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('postern-sandbox-')).length).toBeLessThanOrEqual(
      before,
    );
  });
});

test('kill -9 at any time loses no acknowledged upload and none of its bytes', async () => {
  await sandbox.close();
  const acknowledged = new Map<string, Buffer>();
  for (let round = 0; round < repetitions(2, 3); round++) {
    const { child, url } = await startChild(dataDir);
    const [as] = (await request(url, 'GET', '/control/info')).body.demo.accounts as [Account];
    const before = acknowledged.size;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      try {
        for (let number = 0; ; number++) {
          const bytes = png(10 + writer, 10 + number, { filler: 20_000 });
          acknowledged.set((await upload(bytes, { as, url })).id, bytes);
        }
      } catch {
        // The process ended before the response, so nothing was acknowledged.
      }
    });
    await expect.poll(() => acknowledged.size, { interval: 5 }).toBeGreaterThan(before + 3 + round * 5);
    await kill(child);
    await Promise.all(writers);
  }
  await open();
  expect(acknowledged.size).toBeGreaterThan(5);
  for (const [id, bytes] of acknowledged) {
    expect(Buffer.from(await (await at(`${id}.png`)).arrayBuffer()).equals(bytes), id).toBe(true);
  }
});
