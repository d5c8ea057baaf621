import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../support/client.ts';
import { expectRefusal, restingBalance } from '../support/refusal.ts';
import { useService } from '../support/use-service.ts';
import { startOrigin } from './origin.ts';
import { cleaned, geotagged, gif, jpeg, mp4, png, webp } from './pictures.ts';

const origin = await startOrigin();
const { service, sandbox, ada, grace, graphql } = await useService({ OUTBOUND_ALLOW: '127.0.0.0/8' });
beforeEach(() => sandbox.clearFaults());

const upload = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  ada.post('/media/upload', body, headers);

async function uploaded(body: Record<string, unknown>, client = ada): Promise<string> {
  const answer = await client.post('/media/upload', body);
  expect(answer.status, String(answer.body.error)).toBe(200);
  return String(answer.body.data['media_id']);
}

async function tweetOf(answer: Answer) {
  expect(answer.status, String(answer.body.error)).toBe(200);
  const detail = await ada.get('/tweet/detail', { tweet_id: String(answer.body.data['id']) });
  return detail.body.data as Record<string, unknown> & { media: Record<string, unknown>[] };
}

const files = [
  ['image/png', png()],
  ['image/jpeg', jpeg],
  ['image/gif', gif],
  ['image/webp', webp],
  ['video/mp4', mp4()],
  ['video/quicktime', mp4({ brand: 'qt  ' })],
] as const;

describe.each(files)('%s', (type, bytes) => {
  const answered = { media_type: type, size: bytes.length, media_id: expect.stringMatching(/^\d+$/) };

  test('is accepted from a URL with any declared type except another picture type', async () => {
    for (const claimed of [type, undefined, 'application/octet-stream', 'text/plain']) {
      const answer = await upload({ media_url: origin.serve('/file', bytes, claimed) });
      expect(answer.body.data, String(answer.body.error)).toEqual(answered);
      expect(answer.headers.get('x-credits-charged')).toBe('0.001');
    }
  });

  test('is accepted as base64, with its type in a field or in a data: URI', async () => {
    const media_data = bytes.toString('base64');
    expect((await upload({ media_data, media_type: type })).body.data).toEqual(answered);
    expect((await upload({ media_data: `data:${type};base64,${media_data}` })).body.data).toEqual(answered);
    const unpadded = media_data.replace(/=+$/, '');
    expect((await upload({ media_data: unpadded, media_type: `${type}; charset=x` })).body.data).toEqual(answered);
  });

  test('is refused under the name of another', async () => {
    const other = type === 'image/png' ? 'image/jpeg' : 'image/png';
    const told = new RegExp(`^Malformed field: media_url: its bytes are ${type}, not ${other} as the Content-Type`);
    expectRefusal(await upload({ media_url: origin.serve('/file', bytes, other) }), 400, told);
    const misnamed = await upload({ media_data: bytes.toString('base64'), media_type: other });
    const reason = `its bytes are ${type}, not ${other} as the type given beside it says`;
    expectRefusal(misnamed, 400, `Malformed field: media_data: ${reason}`);
  });

  test('is shown by a tweet, with its size, and its own bytes at its address', async () => {
    const media_id = await uploaded({ media_data: bytes.toString('base64'), media_type: type });
    const answer = await ada.post('/tweet/create', { text: `Look, ${type}`, media_ids: [media_id] });
    const { media } = await tweetOf(answer);
    expect(media).toHaveLength(1);
    const [shown] = media;
    const isVideo = type.startsWith('video/');
    expect(shown?.['type']).toBe(isVideo ? 'video' : type === 'image/gif' ? 'animated_gif' : 'photo');
    if (isVideo) expect(shown).toMatchObject({ width: 640, height: 360, duration_ms: 5_000 });
    if (type === 'image/png') expect(shown).toMatchObject({ width: 40, height: 30, duration_ms: null });
    const served = await fetch(String(isVideo ? shown?.['video_url'] : shown?.['url']));
    expect(served.headers.get('content-type')).toBe(type);
    expect(served.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Buffer.from(await served.arrayBuffer()).equals(bytes)).toBe(true);
    if (isVideo) {
      const still = await fetch(String(shown?.['url']));
      expect([still.status, still.headers.get('content-type')]).toEqual([200, 'image/png']);
    }
  });
});

test('no received file is left in DATA_DIR', () => {
  expect(readdirSync(service.dataDir).filter((name) => name.startsWith('.media'))).toEqual([]);
});

test('requests for media contain no credentials, and accept no compression', async () => {
  origin.asked.length = 0;
  await uploaded({ media_url: origin.serve('/plain', png()) });
  const [request] = origin.asked;
  expect(request?.headers).toMatchObject({ 'accept-encoding': 'identity' });
  for (const name of ['cookie', 'authorization', 'x-auth-token']) expect(request?.headers).not.toHaveProperty(name);
});

describe('media/upload', () => {
  test('needs one source, and a type if it cannot be detected from the bytes', async () => {
    const media_data = png().toString('base64');
    const refusals: [Record<string, unknown>, string | RegExp][] = [
      [{}, 'Missing required field: media_url or media_data'],
      [{ media_data }, 'Missing required field: media_type'],
      [{ media_data, media_url: origin.url }, /give only one of media_url and media_data/],
      [{ media_data: { spool: {} } }, 'Malformed field: media_data: must be a string'],
      [{ media_data, media_type: 'picture' }, /^Malformed field: media_type: must be a MIME/],
      [{ media_url: 'ftp://a.example/b.png' }, /^Malformed field: media_url: must be a URL/],
    ];
    for (const [body, error] of refusals) expectRefusal(await upload(body), 400, error);
  });

  test.each([
    ['', /is empty|media_data/],
    ['not base64!', /is not base64/],
    ['aGVsbG8', /its bytes are of no type that is known, not image\/png/],
    ['iVBO\nRw0K', /is not base64/],
    ['iVBORw0KGgo_', /is not base64/],
    ['data:image/png,iVBO', /not base64/],
    ['data:image/png;base64', /without its comma/],
    ['data:image/png;base64,', /is empty/],
  ])('refuses the base64 %j', async (media_data, reason) => {
    expectRefusal(await upload({ media_data, media_type: 'image/png' }), 400, reason);
  });

  test('accepts bodies up to 24 MiB, and a GIF up to 15 MiB', async () => {
    const blocks = Array(58_000).fill(Buffer.alloc(256, 255));
    const filler = Buffer.concat([Buffer.from([0x21, 0xfe]), ...blocks, Buffer.alloc(1)]);
    const large = Buffer.concat([gif.subarray(0, -1), filler, gif.subarray(-1)]);
    expect(large.length).toBeGreaterThan(14 * 1024 * 1024);
    const media_data = large.toString('base64');
    const accepted = await upload({ media_data, media_type: 'image/gif', keep_metadata: true });
    expect(accepted.body.data).toMatchObject({ size: large.length });
    const tooLarge = await upload({ media_data: 'A'.repeat(25 * 1024 * 1024), media_type: 'image/gif' });
    expectRefusal(tooLarge, 413, 'The body is larger than 25165824 bytes');
    const largePng = png(40, 30, { filler: 5 * 1024 * 1024 }).toString('base64');
    const tooLargePng = await upload({ media_data: largePng, media_type: 'image/png' });
    expectRefusal(tooLargePng, 400, /too large: the limit for image\/png is 5 MiB/);
    const elsewhere = await ada.post('/tweet/create', { text: 'x'.repeat(1_100_000) });
    expectRefusal(elsewhere, 413, 'The body is larger than 1048576 bytes');
  });

  test('limits the base64 of running requests of an account, with an error', async () => {
    const media_data = `data:image/png;base64,${'A'.repeat(20 * 1024 * 1024)}`;
    const answers = await Promise.all(Array.from({ length: 7 }, () => upload({ media_data })));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([400, 429]));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.error).toMatch(/^This account has request bodies of \d+ MiB in flight, the limit is 96 MiB/);
    expect(refused?.headers.get('retry-after')).toBe('2');
    expectRefusal(await upload({ media_data: '!', media_type: 'image/png' }), 400);
  });

  test('with an Idempotency-Key is performed once', async () => {
    const body = { media_url: origin.serve('/once', png(33, 22)) };
    const before = origin.asked.length;
    const first = await upload(body, { 'idempotency-key': 'media-once' });
    const second = await upload(body, { 'idempotency-key': 'media-once' });
    const other = await upload({ ...body, keep_metadata: true }, { 'idempotency-key': 'media-once' });
    expect(other.status).toBe(422);
    expect(first.status).toBe(200);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(origin.asked.length - before).toBe(1);
  });

  test('that ended in the dark is performed again under the same media id', async () => {
    await service.addFault({ kind: 'reset_after' }, { operation: 'mediaUpload', times: 1 });
    const body = { media_data: png(21, 12).toString('base64'), media_type: 'image/png' };
    expectRefusal(await upload(body, { 'idempotency-key': 'media-dark' }), 502);
    const again = await upload(body, { 'idempotency-key': 'media-dark' });
    expect(again.status, String(again.body.error)).toBe(200);
  });

  test('costs nothing when it fails, at the source or on the platform', async () => {
    const before = await restingBalance(ada);
    expectRefusal(await upload({ media_url: `${origin.url}/nowhere` }), 400, /its server answers 404/);
    await service.addFault({ kind: 'status', status: 503 }, { operation: 'mediaUpload', times: 1 });
    expectRefusal(await upload({ media_url: origin.serve('/fine', png()) }), 502);
    expect(await restingBalance(ada)).toBe(before);
  });
});

describe.each([
  [undefined, cleaned],
  [true, geotagged],
])('keep_metadata: %s', (keep_metadata, bytes) => {
  const media_urls = [origin.serve('/geotagged.jpg', geotagged)];

  test.each<[string, () => Promise<Record<string, unknown>>]>([
    ['tweet/create', async () => ({ media_urls, keep_metadata })],
    ['media/upload', async () => ({ media_ids: [await uploaded({ media_url: media_urls[0], keep_metadata })] })],
    [
      'uploadMedia',
      async () => {
        const input = { mediaUrl: media_urls[0], keepMetadata: keep_metadata };
        const query = 'mutation($input: UploadMediaInput!) { uploadMedia(input: $input) { mediaId size } }';
        const { data } = await graphql.ask(query, { input });
        expect(data).toMatchObject({ uploadMedia: { size: bytes.length } });
        return { media_ids: [(data as { uploadMedia: { mediaId: string } }).uploadMedia.mediaId] };
      },
    ],
  ])('%s publishes the position and the camera only if asked to', async (name, body) => {
    const tweet = { text: `${name} ${keep_metadata}`, ...(await body()) };
    const { media } = await tweetOf(await ada.post('/tweet/create', tweet));
    const served = await fetch(String(media[0]?.['url']));
    expect(Buffer.from(await served.arrayBuffer())).toEqual(bytes);
  });
});

describe('a tweet with media', () => {
  test('can have no text, and shows uploaded media before fetched media', async () => {
    const media_id = await uploaded({ media_url: origin.serve('/a', png(11, 12)) });
    const media_urls = [origin.serve('/b', png(13, 14)), origin.serve('/c', jpeg, 'image/jpeg')];
    const before = (await ada.get('/user/me')).body.data['mediaCount'] as number;
    const { media } = await tweetOf(await ada.post('/tweet/create', { media_ids: [media_id], media_urls }));
    expect(media.map(({ width, height }) => [width, height])).toEqual([
      [11, 12],
      [13, 14],
      [8, 8],
    ]);
    expect((await ada.get('/user/me')).body.data['mediaCount']).toBe(before + 1);
  });

  test('fetches all of it or posts nothing, and uploads nothing then', async () => {
    const uploads = () => sandbox.requests('mediaUpload');
    const before = await uploads();
    const media_urls = [origin.serve('/ok', png()), `${origin.url}/missing`];
    const answer = await ada.post('/tweet/create', { text: 'Half of it', media_urls });
    expectRefusal(answer, 400, /^Malformed field: media_urls\[1\]: cannot be fetched: its server answers 404/);
    expect(await uploads()).toBe(before);
  });

  test('accepts up to four photos, or one video or GIF', async () => {
    const photo = origin.serve('/photo', png());
    const video = origin.serve('/video', mp4());
    const animation = origin.serve('/gif', gif);
    const post = (body: Record<string, unknown>) => ada.post('/tweet/create', { text: 'Too much', ...body });
    const refusals: [Record<string, unknown>, RegExp][] = [
      [{ media_urls: Array(5).fill(photo) }, /^Malformed field: media_urls: holds more than 4/],
      [{ media_ids: ['1', '2'], media_urls: Array(3).fill(photo) }, /holds more than 4/],
      [{ media_ids: ['1', '1'] }, /names the same media twice/],
      [{ media_urls: [photo, video] }, /^Malformed field: media_urls\[1\]: is a video, which/],
      [{ media_urls: [animation, animation] }, /^Malformed field: media_urls\[0\]: is a gif/],
    ];
    for (const [body, error] of refusals) expectRefusal(await post(body), 400, error);
    const media_id = await uploaded({ media_url: video });
    const mixed = await post({ media_ids: [media_id], media_urls: [photo] });
    expectRefusal(mixed, 400, /^Malformed field: media_ids: .*four photos, or one video/);
    expect((await tweetOf(await ada.post('/tweet/create', { media_urls: [video] }))).media).toHaveLength(1);
    const four = Array.from({ length: 4 }, (_, at) => origin.serve(`/four-${at}`, png(20 + at, 20)));
    expect((await tweetOf(await ada.post('/tweet/create', { media_urls: four }))).media).toHaveLength(4);
  });

  test("that is unknown or another account's is 404", async () => {
    const media_id = await uploaded({ media_url: origin.serve('/hers', png()) }, grace);
    for (const id of [media_id, '1']) {
      const refused = await ada.post('/tweet/create', { text: 'Not mine', media_ids: [id] });
      expectRefusal(refused, 404, `Media not found: ${id}`);
    }
  });

  test('is found by filter:images', async () => {
    const wanted = { text: 'A lighthouse keeper drew this', media_urls: [origin.serve('/l', png())] };
    const { id } = await tweetOf(await ada.post('/tweet/create', wanted));
    const found = await ada.get('/tweet/advanced_search', { q: 'lighthouse keeper drew filter:images' });
    expect((found.body.data['tweets'] as { id: string }[]).map((tweet) => tweet.id)).toContain(id);
  });
});

test('20 uploads at once all arrive', async () => {
  const send = (_: unknown, at: number) =>
    upload({ media_url: origin.serve(`/many-${at}`, png(50 + at, 40, { filler: 2e6 })) });
  const answers = await Promise.all(Array.from({ length: 20 }, send));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(new Set(answers.map(({ body }) => body.data['media_id'])).size).toBe(20);
});
