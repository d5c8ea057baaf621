// A name server (RFC 1035) on UDP and TCP, as JavaScript, so that programs of tests can use it without a build.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Longer answers are truncated over UDP. */
const udpBytes = 1_232;
const types = new Map([
  [1, 'A'],
  [28, 'AAAA'],
]);

export async function startNameServer(answer, { port = 0 } = {}) {
  const asked = [];
  const reply = (query) => {
    const question = readQuestion(query);
    asked.push(`${question.name} ${question.type}`);
    const given = answer(question.name, question.type);
    if (given === null || Buffer.isBuffer(given)) return { question, bytes: given };
    return { question, bytes: encode(query, question, given) };
  };
  const { udp, tcp } = await bind(port);
  udp.on('message', (query, { port: from, address }) => {
    const { question, bytes } = reply(query);
    if (bytes === null) return;
    const isTooLong = bytes.length > udpBytes;
    udp.send(isTooLong ? encode(query, question, { isTruncated: true }) : bytes, from, address);
  });
  tcp.on('connection', (socket) => {
    socket.on('error', () => {});
    // Queries are short, so each arrives in one piece.
    socket.on('data', (piece) => {
      const { bytes } = reply(piece.subarray(2));
      if (bytes === null) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(bytes.length);
      socket.write(Buffer.concat([length, bytes]));
    });
  });
  return {
    address: `127.0.0.1:${udp.address().port}`,
    asked,
    stop: () => {
      udp.close();
      tcp.close();
    },
  };
}

/** Binds both to one port. A free port of TCP may be in use for UDP, so other ports are tried. */
async function bind(port) {
  for (let tries = 0; ; tries++) {
    const tcp = createServer();
    const udp = createSocket('udp4');
    tcp.listen(port, '127.0.0.1');
    await once(tcp, 'listening');
    try {
      udp.bind(tcp.address().port, '127.0.0.1');
      await once(udp, 'listening');
      return { udp, tcp };
    } catch (error) {
      tcp.close();
      udp.close();
      if (tries === 10) throw error;
    }
  }
}

function readQuestion(query) {
  const labels = [];
  let at = 12;
  for (let length = query[at]; length; length = query[at]) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), type: types.get(query.readUInt16BE(at + 1)) ?? 'other', end: at + 5 };
}

function encode(query, { type, end }, { addresses = [], ttl = 60, code = 0, isTruncated = false }) {
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8180 | code | (isTruncated ? 0x200 : 0), 2);
  const records = addresses.map((text) => encodeAddress(text, ttl)).filter((record) => record.type === type);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, query.subarray(12, end), ...records.map(({ bytes }) => bytes)]);
}

/** The name of the record is a pointer to the question (RFC 1035, section 4.1.4). */
function encodeAddress(text, ttl) {
  const data = Buffer.from(ipaddr.parse(text).toByteArray());
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(data.length === 4 ? 1 : 28, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(data.length, 10);
  return { type: data.length === 4 ? 'A' : 'AAAA', bytes: Buffer.concat([head, data]) };
}
