import { describe, expect, test } from 'vitest';
import { cleaned, geotagged } from '../../media/pictures.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { dataOf, startMessageFixture } from './fixture.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const gif = Buffer.from('R0lGODlhAgADAIAAAAAAAP///yH5BAEAAAAALAAAAAACAAMAAAIChF8AOw==', 'base64');
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="4" height="5"></svg>');
const lateSvg = Buffer.from(`<svg${' '.repeat(17_000)}width="4" height="5"></svg>`);
/** Four silent frames (MPEG-1 layer III, 128 kbit/s, 44.1 kHz). */
const mp3 = Buffer.concat(
  Array.from({ length: 4 }, () => Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(413)])),
);

const fixture = await startMessageFixture();
const [anna, ben] = [await fixture.mint(), await fixture.mint()];
const { conversation_id } = await anna.sends(ben, 'Pictures follow');

const send = (bytes: Buffer, more: Record<string, unknown> = {}) =>
  anna.post('/dm/send_media', { conversation_id, image_base64: bytes.toString('base64'), ...more });

describe('an attachment', () => {
  test('is sent encrypted, and described to both participants', async () => {
    const sent = dataOf(await send(png, { text: 'One pixel', filename: 'pixel.png' }));
    expect(sent).toEqual({
      ok: true,
      conversation_id,
      filename: 'pixel.png',
      type: 1,
      size: png.length,
      text: 'One pixel',
      message_id: expect.stringMatching(/./),
      media_hash_key: expect.stringMatching(/^\w{1,50}$/),
    });
    for (const who of [anna, ben]) {
      const [message] = await who.reads(conversation_id, { count: '1' });
      const { media_hash_key, type, filename, size, text } = sent;
      expect(message).toMatchObject({
        text,
        attachment: { media_hash_key, type, filename, size, width: 1, height: 1 },
      });
    }
    // The platform stores encrypted bytes, not the picture.
    const path = `/2/chat/media/${anna.account.userId}/${sent['media_hash_key']}`;
    const kept = await fetch(fixture.service.demo.sandboxUrl + path, {
      headers: { authorization: `Bearer ${ben.account.authToken}` },
    });
    const bytes = Buffer.from(await kept.arrayBuffer());
    expect(bytes.length).toBeGreaterThan(png.length);
    expect(bytes.includes(png.subarray(0, 16))).toBe(false);
  });

  test.each([
    ['gif', gif, 2, 'animation.gif', { width: 2, height: 3 }],
    ['audio', mp3, 4, 'audio.mp3', { width: null, height: null }],
    ['any file', Buffer.from('Plain words'), 5, /^file\./, { width: null, height: null }],
    ['svg', svg, 6, 'image.svg', { width: 4, height: 5 }],
  ])('of type %s is told by its bytes', async (_name, bytes, type, filename, size) => {
    const sent = dataOf(await send(bytes, { type }));
    expect(sent).toMatchObject({ type, size: bytes.length, text: '' });
    expect(sent['filename']).toMatch(filename);
    const [message] = await ben.reads(conversation_id, { count: '1' });
    expect(message?.attachment).toMatchObject({ type, ...size });
  });

  test.each([
    [1, undefined, cleaned],
    [1, true, geotagged],
    [5, undefined, cleaned],
    [5, true, geotagged],
  ])(
    'of type %s with keep_metadata: %s has the position and the camera only then',
    async (type, keep_metadata, bytes) => {
      expect(dataOf(await send(geotagged, { type, keep_metadata }))).toMatchObject({ size: bytes.length });
    },
  );

  test('is refused with 400 if it is damaged and its metadata cannot be removed', async () => {
    const damaged = geotagged.subarray(0, -2);
    const reason =
      'is a truncated image, so its metadata cannot be removed: remove the metadata, or send keep_metadata';
    expectRefusal(await send(damaged, { type: 5 }), 400, `Malformed field: image_base64: ${reason}`);
    expectRefusal(await send(geotagged, { keep_metadata: 'yes' }), 400, /^Malformed field: keep_metadata/);
  });

  const unreadable = ['style="width:9px" width="7"', '', 'width="&wide;" height="5"', 'width="&#49;0" height="5"'];
  const outOfRange = [
    'width="0" height="5"',
    'width="-4" height="5"',
    'width="70000" height="5"',
    'width="1e99" height="5"',
  ];
  const viewBoxes = ['viewBox="0 0 0 10"', 'viewBox="0 0 24"', 'viewBox="0 0 NaN Infinity"'];
  test.each<[string, number | null, number | null]>([
    ['width="120" height="80px"', 120, 80],
    ["width='1in' height='2.54cm'", 96, 96],
    ['width="90pt" height="2pc"', 120, 32],
    ['viewBox="0 0 24 16"', 24, 16],
    ['viewBox="-10,-10, 20.4 ,10"', 20, 10],
    ['width="100%" height="100%" viewBox="0 0 64 32"', 64, 32],
    ['width="10em" viewBox="0 0 64 32"', 64, 32],
    ['width="200" viewBox="0 0 50 25"', 200, 100],
    ['height="50" viewBox="0 0 50 25"', 100, 50],
    ['width="4" height="5" viewBox="0 0 400 500"', 4, 5],
    ['data-width="9" data-height="9" viewBox="0 0 3 2"', 3, 2],
    ['width="1e2" height=".5e2"', 100, 50],
    ...[...unreadable, ...outOfRange, ...viewBoxes].map((attributes): [string, null, null] => [attributes, null, null]),
  ])('of type svg has the size that its root element says: %s', async (attributes, width, height) => {
    const bytes = Buffer.from(`<?xml version="1.0"?><!-- <svg width="1" height="1"> --><svg ${attributes}></svg>`);
    dataOf(await send(bytes, { type: 6 }));
    expect((await ben.reads(conversation_id, { count: '1' }))[0]?.attachment).toMatchObject({ width, height });
  });

  test.each([
    ['of type svg has no size if its attributes come too late', lateSvg, { type: 6 }, { width: null, height: null }],
    ['has the size that the sender gives', png, { width: 640, height: 480 }, { width: 640, height: 480 }],
  ])('%s', async (_name, bytes, more, size) => {
    dataOf(await send(bytes, more));
    expect((await ben.reads(conversation_id, { count: '1' }))[0]?.attachment).toMatchObject(size);
  });

  test('is refused if its bytes have another type or if it has no recipient', async () => {
    expectRefusal(await send(png, { type: 2 }), 400, /^Malformed field: image_base64/);
    expectRefusal(await send(png, { type: 4 }), 400, /is image\/png: give an audio file \(such as audio\/mpeg\)$/);
    expectRefusal(await send(png, { type: 7 }), 400, /^Malformed field: type/);
    expectRefusal(await send(png, { filename: '../x' }), 400, /^Malformed field: filename/);
    expectRefusal(await send(png, { image_url: 'https://pictures.example/a.png' }), 400);
    expectRefusal(await send(png, { conversation_id: '1:2' }), 404, 'Conversation not found: 1:2');
    const fetched = await anna.post('/dm/send_media', { conversation_id, image_url: 'http://127.0.0.1:9/a.png' });
    expectRefusal(fetched, 400, /^Malformed field: image_url/);
  });
});
