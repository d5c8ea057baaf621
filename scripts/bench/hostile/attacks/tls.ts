// TLS servers of callers, whose handshakes take the processor time of their clients.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import type { Settings } from '../../processes.ts';
import type { Attacks, Target } from '../target.ts';

/** Encodes a value according to X.690, section 8.1. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const integer = (bytes: Buffer) => der(2, Buffer.alloc(bytes.readUInt8() >> 7), bytes);
const bits = (bytes: Buffer) => der(3, Buffer.of(0), bytes);
const oid = (hex: string) => der(6, Buffer.from(hex, 'hex'));
const pem = (label: string, bytes: Buffer) =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;

/** A random odd number, as costly as a prime. */
function odd(length: number, first = 0x70): Buffer {
  const bytes = randomBytes(length / 8);
  bytes[0] = first;
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) | 1, bytes.length - 1);
  return bytes;
}

const sha256WithRsa = sequence(oid('2a864886f70d01010b'), der(5));
const nameOf = (text: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(text)))));
const addresses = sequence(oid('551d11'), der(4, sequence(der(0x87, Buffer.of(127, 0, 0, 1)))));
const authority = sequence(oid('551d13'), der(4, sequence(der(1, Buffer.of(255)))));
const time = (text: string) => der(0x17, Buffer.from(text));

type Signer = (body: Buffer) => Buffer;
function certificate(
  subject: string,
  issuer: string,
  publicKey: Buffer,
  extension: Buffer,
  signer: Signer = () => odd(3_072),
): string {
  const validity = sequence(time('200101000000Z'), time('491231000000Z'));
  const names = [nameOf(issuer), validity, nameOf(subject)];
  const start = [der(0xa0, integer(Buffer.of(2))), integer(odd(64)), sha256WithRsa];
  const body = sequence(...start, ...names, publicKey, der(0xa3, sequence(extension)));
  return pem('CERTIFICATE', sequence(body, sha256WithRsa, bits(signer(body))));
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
const own = publicKey.export({ type: 'spki', format: 'der' });
const cert = certificate('127.0.0.1', '127.0.0.1', own, addresses, (body) => sign('sha256', body, privateKey));

/** Makes a chain whose signatures are verified with exponents of 3,072 bits. */
function chain(count: number): string {
  const publicKeyOf = () =>
    sequence(
      sequence(oid('2a864886f70d010101'), der(5)),
      bits(sequence(integer(odd(3_072, 0xf0)), integer(odd(3_072)))),
    );
  const links = Array.from({ length: count }, (_, i) => certificate(`${i}`, `${i + 1}`, publicKeyOf(), authority));
  return certificate('127.0.0.1', '0', own, addresses) + links.join('');
}
const primeOf = (length: number) => pem('DH PARAMETERS', sequence(integer(odd(length, 0xf0)), integer(Buffer.of(2))));
const dh: TlsOptions = { key, cert, maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256' };

type OnSecure = (socket: TLSSocket, target: Target) => void;

/** Starts twenty uploads from a server with these options. */
const upload = (makeOptions: () => TlsOptions, onSecure?: OnSecure) => async (target: Target) => {
  const secure = createServer(makeOptions(), (socket) => {
    socket.on('error', () => {});
    target.prove(true);
    onSecure?.(socket, target);
  });
  // A refused handshake has also taken the first bytes of the server.
  secure.on('tlsClientError', () => target.prove(true));
  const server = await target.listen((socket) => secure.emit('connection', socket));
  await target.begin();
  const one = (i: number) => target.rest('POST', '/media/upload', { media_url: `https://${server.name}/${i}` });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => one(i)));
  target.note(`${server.connections} connections; ${String(answers[0]?.json?.error).slice(-60)}`);
};

let settings: Settings | null = null;
/** Returns the settings of a service that trusts the certificate, because renegotiation follows a successful handshake. */
function trusted(sandboxed: Settings): Settings {
  if (settings) return settings;
  const folder = mkdtempSync(join(tmpdir(), 'postern-hostile-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'cert.pem');
  writeFileSync(file, cert);
  settings = { ...sandboxed, NODE_EXTRA_CA_CERTS: file };
  return settings;
}

/** Renegotiates again and again, for five seconds. */
function renegotiate(socket: TLSSocket, target: Target): void {
  let times = 0;
  const again = () => {
    if (socket.destroyed) return;
    socket.renegotiate({}, (error) => {
      if (error) return;
      times++;
      again();
    });
  };
  again();
  socket.once('close', () => times > 0 && target.note(`${times} renegotiations`));
  setTimeout(() => socket.destroy(), 5_000).unref();
}

export const attacks: Attacks = {
  'tls: Diffie-Hellman prime of 8,192 bits': upload(() => ({ ...dh, dhparam: primeOf(8_192) })),
  'tls: Diffie-Hellman prime of 10,000 bits': upload(() => ({ ...dh, dhparam: primeOf(10_000) })),
  'tls: ffdhe8192 of TLS 1.3': upload(() => ({ key, cert, minVersion: 'TLSv1.3', ecdhCurve: 'ffdhe8192' })),
  'tls: chain of 8 KB': upload(() => ({ key, cert: chain(5) })),
  'tls: chain of 90 KB': upload(() => ({ key, cert: chain(70) })),
  'tls: renegotiation without end': Object.assign(
    upload(() => ({ key, cert, maxVersion: 'TLSv1.2' }), renegotiate),
    { platform: trusted },
  ),
};
