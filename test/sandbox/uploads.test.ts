import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { gif, jpeg, mp4, png, webp } from '../media/pictures.ts';
import { repetitions } from '../support/repetitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { violations } from './contract.ts';
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
  query?: string;
  token?: string;
  url?: string;
}

async function upload(
  bytes: Buffer,
  { as = sandbox.ada, type = 'image/png', query = 'width=4&height=3', token, url = sandbox.url }: Upload = {},
) {
  const path = `/api/media?${query}`;
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      cookie: `auth_token=${as.authToken}`,
      'content-type': type,
      ...(token && { 'idempotency-token': token }),
    },
    body: new Uint8Array(bytes),
  });
  const body: Json = await response.json();
  expect(violations('POST', path, response.status, body)).toEqual([]);
  return {
    status: response.status,
    id: body.media?.id as string,
    code: body.problem?.code,
    replayed: response.headers.get('idempotent-replayed'),
  };
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
    expect(status).toBe(201);
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

  test('is refused without stored bytes if its type is wrong or missing, or if it is too large', async () => {
    const refused = async (bytes: Buffer, options: Upload) => {
      const { status, code } = await upload(bytes, options);
      return [status, code];
    };
    expect(await refused(png(), { type: 'text/html' })).toEqual([415, 'media_refused']);
    expect(await refused(png(), { type: 'image/jpeg' })).toEqual([400, 'media_refused']);
    expect(await refused(Buffer.alloc(0), {})).toEqual([400, 'media_refused']);
    expect(await refused(Buffer.alloc(5 * 1024 * 1024 + 1), {})).toEqual([413, 'media_refused']);
    expect(await refused(png(), { query: 'width=4' })).toEqual([400, 'bad_request']);
    expect(await refused(png(), { query: 'width=4&height=9000' })).toEqual([400, 'bad_request']);
    expect(files()).toEqual([]);
  });

  test('with a token is stored once, also with other bytes', async () => {
    const first = await upload(png(), { token: 'once' });
    const again = await upload(png(5, 5), { token: 'once' });
    expect(again).toMatchObject({ status: 201, id: first.id, replayed: 'true' });
    expect(files()).toEqual([`${first.id}.png`]);
    expect((await sandbox.tweet('With that token', sandbox.ada, {}, { 'idempotency-token': 'once' })).status).toBe(409);
  });

  test('that is not attached is deleted after a day; an attached one remains', async () => {
    const [idle, used] = [await upload(png()), await upload(png(7, 7))];
    const tweet = (await sandbox.tweet('', sandbox.ada, { media: [used.id] })).body.data;
    clock += DAY_MS;
    expect((await at(`${idle.id}.png`)).status).toBe(404);
    expect((await at(`${used.id}.png`)).status).toBe(200);
    const late = await sandbox.tweet('Too late', sandbox.ada, { media: [idle.id] });
    expect(late.body.errors[0].parameters).toEqual({ 'media.media_ids': [idle.id] });
    const next = await upload(png());
    expect(files()).toEqual([`${used.id}.png`, `${next.id}.png`].sort());
    await sandbox.remove(tweet.id, sandbox.ada);
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
    expect((await upload(png(), { url: other.url, as: other.ada })).status).toBe(201);
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
