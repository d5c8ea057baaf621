// A server of videos. `/<MiB>.mp4` is a valid MP4 of this size, generated while it is sent.
import { createServer } from 'node:http';

const MiB = 1024 * 1024;
const frames = Buffer.alloc(256 * 1024, 7);

function box(type, ...content) {
  const bytes = Buffer.concat(content);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(bytes.length + 8);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, bytes]);
}

/** Returns the index of one video track with 1280 by 720 pixels and a duration of one minute (ISO/IEC 14496-12). */
function beginning(bytes) {
  const movie = Buffer.alloc(100);
  movie.writeUInt32BE(1_000, 12);
  movie.writeUInt32BE(60_000, 16);
  const track = Buffer.alloc(84);
  track.writeInt32BE(0x10000, 40);
  track.writeInt32BE(0x10000, 56);
  track.writeUInt32BE(1_280 * 65_536, 76);
  track.writeUInt32BE(720 * 65_536, 80);
  const handler = Buffer.alloc(24);
  handler.write('vide', 8, 'latin1');
  const data = Buffer.alloc(8);
  data.writeUInt32BE(bytes + 8);
  data.write('mdat', 4, 'latin1');
  return Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\0\0isommp41', 'latin1')),
    box('moov', box('mvhd', movie), box('trak', box('tkhd', track), box('mdia', box('hdlr', handler)))),
    data,
  ]);
}

const server = createServer((request, response) => {
  let left = Number(/^\/(\d+)\.mp4$/.exec(request.url ?? '')?.[1] ?? 0) * MiB;
  const start = beginning(left);
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': start.length + left });
  response.write(start);
  const send = () => {
    while (left > 0 && !response.destroyed) {
      const chunk = frames.subarray(0, Math.min(left, frames.length));
      left -= chunk.length;
      if (!response.write(chunk)) return void response.once('drain', send);
    }
    response.end();
  };
  send();
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`));
