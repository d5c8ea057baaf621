import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { MediaService } from '../../src/media/media-service.ts';
import type { TransferLimits } from '../../src/media/transfer-deadline.ts';
import { OutgoingConnections } from '../../src/outbound/connection-limiter.ts';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { ProxyPool } from '../../src/outbound/proxy-pool.ts';
import { sandboxCapabilities } from '../../src/platform/sandbox/capabilities.ts';
import type { MediaKind } from '../../src/shared/model/taken-media.ts';
import { systemRuntime as runtime } from '../../src/shared/runtime/runtime.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openFiles } from './open-files.ts';
import { startOrigin } from './origin.ts';
import { gif, jpeg, mp4, mp4Start, png, pngSignature, svg, webp } from './pictures.ts';

const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));

/** The limits are long, so that a busy machine does not reach them. A test of a limit makes that one limit short. */
const transferLimits: TransferLimits = { answerMs: 120_000, windowMs: 120_000, windowBytes: 2_000, wholeMs: 240_000 };

const connections = new OutgoingConnections();

const origin = await startOrigin();
const folder = temporaryFolder();
const resolve = async (name: string) => {
  if (name === 'rebinding.example') return [{ address: '127.0.0.1' }, { address: '10.0.0.1' }];
  if (name === 'private.example') return [{ address: '192.168.1.1' }];
  throw new Error('no such name');
};
const guard = new OutboundGuard({ allow: ['127.0.0.0/8'], runtime, resolve });
const proxies = new ProxyPool({ guard, runtime, maxResponseBytes: 1_000, timeoutMs: 60_000 });
const parts = { guard, proxies, connections, runtime, folder, largest: sandboxCapabilities.limits.mediaBytes };
const serviceWith = (limits: Partial<TransferLimits>) =>
  new MediaService({ ...parts, transferLimits: { ...transferLimits, ...limits } });
const service = serviceWith({});
afterAll(async () => {
  await service.close();
  await proxies.close();
  expect(readdirSync(folder)).toEqual([]);
});

const shown = ['photo', 'gif', 'video'] as const;

function take(
  url: string,
  kinds: readonly MediaKind[] = shown,
  signal = new AbortController().signal,
  by: MediaService = service,
) {
  return by.uploader({ account: 'ada', proxy: null, signal }).take({ url }, { field: 'media_url', kinds });
}

async function expectFault(
  url: string,
  reason: RegExp | string,
  kinds?: readonly MediaKind[],
  by?: MediaService,
): Promise<void> {
  const error = await take(url, kinds, undefined, by).then(
    () => null,
    (thrown) => thrown,
  );
  expect(error).toMatchObject({ code: 'bad_input', field: 'media_url' });
  expect(error.message).toMatch(/^Malformed field: media_url: /);
  expect(error.message).toMatch(reason);
}

const held = () => openFiles(folder);

const endless =
  (chunk: Buffer, everyMs = 0) =>
  (response: ServerResponse) => {
    const write = () => {
      if (response.destroyed) return;
      if (everyMs > 0) {
        response.write(chunk);
        setTimeout(write, everyMs);
      } else if (response.write(chunk)) setImmediate(write);
      else response.once('drain', write);
    };
    write();
  };

const chunked = (bytes: Buffer) =>
  `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${bytes.length.toString(16)}\r\n${bytes.toString('latin1')}\r\n`;

/** Writes to the socket directly: `start` once, and `text` for as long as the socket is open. */
function flood({ socket }: ServerResponse, start: string, text: string): void {
  socket?.write(start, 'latin1');
  const more = () => {
    if (!socket || socket.destroyed) return;
    if (socket.write(text.repeat(1_000))) setImmediate(more);
    else socket.once('drain', more);
  };
  more();
}

describe('a file that is no file of its kind', () => {
  const absurd = png(100_000, 100_000);
  const tall = png(8_193, 10);
  const wide = png(8_000, 8_000);
  const broken = Buffer.from(png());
  broken[45] = (broken[45] ?? 0) ^ 0xff;
  const lyingWebp = Buffer.from(webp);
  lyingWebp.writeUInt32LE(5_000, 4);
  const noVideo = Buffer.from(mp4());
  noVideo.write('soun', noVideo.indexOf('vide'), 'latin1');

  test.each<[string, Buffer, RegExp]>([
    ['empty', Buffer.alloc(0), /is empty/],
    ['an HTML page', Buffer.from('<!DOCTYPE html><html><body>hi'), /is an HTML page: give a photo/],
    ['text', Buffer.from('just some words'), /is of no type that is known/],
    [
      'a PDF',
      Buffer.from('%PDF-1.7\n%abc'),
      /is application\/pdf: give a photo \(image\/jpeg, image\/png, image\/webp\) or a gif/,
    ],
    ['an SVG', svg, /is image\/svg\+xml: give a photo/],
    ['the signature of a PNG alone', pngSignature, /truncated|no type/],
    ['a PNG without its end', png().subarray(0, -12), /is a truncated image/],
    ['half a PNG', png().subarray(0, 60), /is a truncated image/],
    ['a PNG with a wrong checksum', broken, /is a damaged image/],
    ['a JPEG without its end', jpeg.subarray(0, -2), /is a truncated image/],
    ['half a JPEG', jpeg.subarray(0, 100), /is a truncated image/],
    ['a GIF without its end', gif.subarray(0, -1), /is a truncated image/],
    ['half a GIF', gif.subarray(0, 20), /is a truncated image/],
    ['a WebP that is longer than it is', lyingWebp, /is a truncated image/],
    ['half a WebP', webp.subarray(0, 22), /is a truncated image/],
    ['an absurdly large picture', absurd, /is 100000 by 100000 pixels: each side must have at most 8192/],
    ['a picture too high', tall, /is 8193 by 10 pixels/],
    ['a picture of too many pixels', wide, /is 8000 by 8000 pixels: the limit is 50 million/],
    ['half a video', mp4().subarray(0, -500), /is a truncated or damaged video/],
    ['a video without its index', mp4().subarray(0, 24), /is a truncated or damaged video/],
    ['a video without a picture', noVideo, /has no video track/],
    ['a video of no size', mp4({ width: 0 }), /is a truncated or damaged video/],
    ['a video too wide', mp4({ width: 20_000 }), /is 20000 by 360 pixels/],
    ['a video longer than the platform takes', mp4({ seconds: 86_401 }), /is a video of more than 24 hours/],
  ])('is refused: %s', async (name, bytes, reason) => {
    await expectFault(origin.serve(`/${encodeURIComponent(name)}`, bytes), reason);
    expect(held()).toEqual([]);
  });

  test('is refused under the name of a picture: an HTML page', async () => {
    const url = origin.serve('/page', Buffer.from('<html><script>alert(1)</script></html>'), 'image/png');
    await expectFault(url, 'its bytes are an HTML page, not image/png as the Content-Type of its answer says');
  });

  test('is refused under a wrong name: a JPEG called GIF, an MP4 called QuickTime', async () => {
    await expectFault(origin.serve('/a', jpeg, 'image/gif'), /its bytes are image\/jpeg, not image\/gif/);
    await expectFault(origin.serve('/b', mp4(), 'video/quicktime'), /its bytes are video\/mp4, not video\/quicktime/);
  });
});

describe('a server that means harm', () => {
  test.each<[string, (response: ServerResponse) => void, RegExp, Partial<TransferLimits>?]>([
    ['says nothing', () => {}, /does not answer in time/, { answerMs: 500 }],
    [
      'stops in the middle',
      (response) => void response.write(png().subarray(0, 40)),
      /sends too slowly/,
      { windowMs: 300 },
    ],
    ['sends a byte at a time, for ever', endless(Buffer.alloc(1), 20), /sends too slowly/, { windowMs: 300 }],
    ['sends without end what is no picture', endless(Buffer.alloc(16_384, 'x')), /is of no type that is known/],
    [
      'sends a picture without end',
      (response) => {
        response.write(png().subarray(0, -12));
        endless(Buffer.alloc(65_536, 'x'))(response);
      },
      /is too large: the limit for image\/png is 5 MiB/,
    ],
    [
      'sends a video slowly, for longer than anybody waits',
      (response) => {
        response.write(mp4Start({ bytes: 1e9 }));
        endless(Buffer.alloc(20_000), 20)(response);
      },
      /takes too long to be fetched/,
      { wholeMs: 1_500 },
    ],
    [
      'says that it sends more than it does',
      (response) => {
        response.writeHead(200, { 'content-length': 10_000 });
        response.write(png());
        setTimeout(() => response.destroy(), 20);
      },
      /broke the connection/,
    ],
    [
      'says that it sends less than it does',
      (response) => {
        const head = 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\nConnection: close\r\n\r\n';
        response.socket?.end(Buffer.concat([Buffer.from(head), png()]));
      },
      /truncated|broke the connection/,
    ],
    [
      'sends a gzip bomb',
      (response) => {
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'image/png' }).end(bomb);
      },
      /is sent compressed \(Content-Encoding\)/,
    ],
    [
      'sends informational responses without end',
      (response) => flood(response, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
      /its server sends informational responses without an end/,
    ],
    [
      'sends a picture in tiny pieces',
      (response) => flood(response, chunked(png().subarray(0, -12)), '1\r\nx\r\n'),
      /its server sends its response in too many pieces/,
    ],
    [
      'sends a chunk extension without end',
      (response) => flood(response, `${chunked(png().subarray(0, -12))}1;`, 'x'.repeat(100)),
      /its server sends headers, trailers or chunk extensions that are too long/,
    ],
    ['breaks off', (response) => void response.destroy(), /cannot be reached, or broke the connection/],
    ['speaks no HTTP', (response) => void response.socket?.end('hello\r\n\r\n'), /broke the connection/],
    ['answers with nothing', (response) => void response.writeHead(204).end(), /its server answers 204/],
    ['has it not', (response) => void response.writeHead(404).end('secret words'), /its server answers 404$/],
    ['redirects to nowhere', (response) => void response.writeHead(302).end(), /its server answers 302/],
  ])('is refused: it %s', async (name, page, reason, limits = {}) => {
    const hasty = serviceWith(limits);
    await expectFault(origin.at(`/${encodeURIComponent(name)}`, page), reason, undefined, hasty);
    await hasty.close();
    expect(held()).toEqual([]);
    await expect.poll(() => [connections.media.open, connections.media.hosts]).toEqual([0, 0]);
  });

  test('has its picture taken where it only forgets to say how long it is', async () => {
    const url = origin.at('/chunked', (response) => void response.write(jpeg, () => response.end()));
    const media = await take(url);
    expect(media).toMatchObject({ kind: 'photo', type: 'image/jpeg', size: jpeg.length, width: 8, height: 8 });
    await media.discard();
  });
});

describe('an address', () => {
  const redirect = (to: string, path = `/to-${Math.random()}`, status = 302) =>
    origin.at(path, (response) => void response.writeHead(status, { location: to }).end('moved'));

  test('is followed through up to five redirects, relative ones too', async () => {
    origin.serve('/end', png());
    let next = '/end';
    for (const status of [301, 302, 303, 307, 308]) {
      redirect(next, `/hop-${status}`, status);
      next = `/hop-${status}`;
    }
    const media = await take(origin.url + next);
    expect(media.size).toBe(png().length);
    await media.discard();
    await expectFault(redirect(next), /is redirected more than 5 times/);
  });

  test.each([
    [() => redirect('/loop', '/loop'), /is redirected in a loop/],
    [() => redirect('http://10.0.0.1/secret'), /is redirected to an address that must not lead to a private address/],
    [
      () => redirect('http://169.254.169.254/latest'),
      /is redirected to an address that must not lead to a cloud metadata/,
    ],
    [
      () => redirect('http://private.example/'),
      /is redirected to an address that must not lead to an address that is not/,
    ],
    [() => redirect('http://[::1]/'), /is redirected to an address that must not lead to a loopback/],
    [() => redirect('file:///etc/passwd'), /is redirected to an address that must be a URL with http/],
    [() => redirect('ftp://a.example/'), /is redirected to an address that must be a URL with http/],
    [() => redirect('data:image/png;base64,AAAA'), /is redirected to an address that must be a URL with http/],
    [() => redirect('http://ada:secret@a.example/'), /is redirected to an address that must not carry a user name/],
    [() => redirect('http://'), /is redirected to an address that (?:is no URL|must)/],
    [() => 'http://10.0.0.1/', /must not lead to a private address/],
    [() => 'http://2886729729/', /must not lead to a private address/],
    [() => 'http://rebinding.example/', /must not lead to an address that is not public/],
    [() => 'http://nowhere.example/', /does not resolve/],
    [() => 'http://127.0.0.1:1/', /cannot be reached/],
  ])('is refused: %#', async (url, reason) => {
    await expectFault(url(), reason);
    expect(held()).toEqual([]);
  });
});

describe('received media', () => {
  test('can be read more than once, and is deleted when it is discarded', async () => {
    const media = await take(origin.serve('/film', mp4({ bytes: 300_000 })));
    expect(media).toMatchObject({ kind: 'video', type: 'video/mp4', width: 640, height: 360, durationMs: 5_000 });
    const read = async () => Buffer.concat(await media.open().toArray());
    expect((await read()).equals(mp4({ bytes: 300_000 }))).toBe(true);
    expect((await read()).equals(mp4({ bytes: 300_000 }))).toBe(true);
    const left = media.open();
    left.on('error', () => {});
    left.read();
    await media.discard();
    await media.discard();
    expect(held()).toEqual([]);
  });

  test('has no name on the disk while it comes in', async () => {
    let end: (() => void) | null = null;
    const url = origin.at('/slow', (response) => {
      response.write(mp4({ bytes: 5_000 }).subarray(0, 3_000));
      end = () => response.end(mp4({ bytes: 5_000 }).subarray(3_000));
    });
    const taking = take(url);
    // A file of an earlier test may still be open.
    await expect.poll(() => end !== null && held().length).toBe(1);
    // The name is removed as soon as the file is open.
    await expect.poll(() => readdirSync(folder)).toEqual([]);
    (end as (() => void) | null)?.();
    await (await taking).discard();
  });

  test('is given up when its caller hangs up', async () => {
    const controller = new AbortController();
    const url = origin.at('/waits', () => {});
    const taking = take(url, shown, controller.signal);
    setTimeout(() => controller.abort(), 50);
    await expect(taking).rejects.toMatchObject({ code: 'request_timeout' });
    await expect(take(origin.url, shown, AbortSignal.abort())).rejects.toMatchObject({ code: 'request_timeout' });
    expect(held()).toEqual([]);
  });

  test.each<[MediaKind, Buffer, string | undefined, string]>([
    ['svg', svg, undefined, 'image/svg+xml'],
    ['svg', Buffer.from('<svg/>'), 'image/svg+xml; charset=utf-8', 'image/svg+xml'],
    ['audio', Buffer.from('RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00', 'latin1'), 'audio/x-wav', 'audio/wav'],
    ['file', Buffer.from('just some words'), 'text/plain', 'application/octet-stream'],
    ['file', Buffer.from('%PDF-1.7\n%abc'), undefined, 'application/pdf'],
    ['file', png(), 'image/png', 'image/png'],
  ])('may be a %s where that is welcome: %#', async (kind, bytes, claimed, type) => {
    const media = await take(origin.serve('/welcome', bytes, claimed), [kind]);
    expect(media).toMatchObject({ kind, type, size: bytes.length });
    await media.discard();
  });

  test('is not an SVG because of its declared type', async () => {
    const declared = '<!DOCTYPE svg [<!ENTITY a "b">]><svg/>';
    for (const text of ['<html><svg></svg></html>', '<!-- <svg/> --><html/>', declared, 'svg']) {
      const url = origin.serve('/fake', Buffer.from(text), 'image/svg+xml');
      await expectFault(url, /its bytes are .*not image\/svg/, ['svg']);
    }
    await expectFault(origin.serve('/half', svg.subarray(0, 60)), /is a truncated SVG/, ['svg']);
  });
});
