import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createSecureContext, DEFAULT_CIPHERS } from 'node:tls';
import { buildConnector } from 'undici';
import { ServerMisbehavedError } from './errors.ts';
import { mayParse } from './parsing-turns.ts';

/**
 * The maximum number of bytes that a server may send before the handshake ends. Certificate chains have 2 to 8 KiB. OpenSSL accepts 100 KB, and
 * verifies an RSA signature of 1.2 KiB with an exponent of 3,072 bits in 9 ms.
 */
const maxHandshakeBytes = 9 * 1024;
/**
 * The maximum number of bytes without application data after the handshake. Data is decrypted when its record is complete, which has up to
 * 16 KiB (RFC 8446, section 5.2).
 */
const maxSilentBytes = 64 * 1024;
const partBytes = 4 * 1024;

const settings = {
  // The server chooses the prime of finite-field Diffie-Hellman. A prime of 10,000 bits takes a second.
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  // OpenSSL also accepts ffdhe8192, which takes 50 ms.
  ecdhCurve: 'X25519:P-256:X448:P-521:P-384',
  // Servers could renegotiate without limit.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

type TlsConnector = (
  options: buildConnector.Options & { httpSocket: Socket },
  callback: buildConnector.Callback,
) => void;

/** Creates a connector for undici that starts TLS on an open connection. The server is untrusted until its certificate is verified. */
export function tlsConnector(timeoutMs: number, ca?: string): TlsConnector {
  const secureContext = createSecureContext({ ...settings, ...(ca !== undefined && { ca }) });
  const connect = buildConnector({ secureContext, timeout: timeoutMs });
  return ({ httpSocket, ...options }, callback) => {
    const encrypted = new EncryptedStream(httpSocket);
    const connected: buildConnector.Callback = (...[error, socket]) => {
      if (error) return callback(encrypted.errored ?? error, null);
      encrypted.decrypted = socket;
      callback(null, socket);
    };
    // Node reads any duplex stream in JavaScript, but reads a socket before a limit could apply.
    connect({ ...options, httpSocket: encrypted as Duplex as Socket }, connected);
  };
}

/** Limits the bytes that OpenSSL gets from a server, because a server pays nothing for a handshake. Servers take turns. */
class EncryptedStream extends Duplex {
  /** The socket with the decrypted data; `null` during the handshake. */
  decrypted: Pick<Socket, 'bytesRead'> | null = null;
  readonly #socket: Socket;
  #isWanted = false;
  /** The number of bytes since the last application data. */
  #silentBytes = 0;
  #decryptedBytes = 0;

  constructor(socket: Socket) {
    // Further parts wait until this one is decrypted, so that `bytesRead` is up to date.
    super({ readableHighWaterMark: partBytes });
    this.#socket = socket;
    socket.on('readable', () => this.#pass());
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  override _read(): void {
    this.#isWanted = true;
    this.#pass();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#socket.write(chunk, callback);
  }

  override _final(callback: () => void): void {
    this.#socket.end(callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#socket.destroy();
    callback(error);
  }

  #pass(): void {
    while (this.#isWanted && !this.destroyed && mayParse(this.#socket)) {
      const part: Buffer | null = this.#socket.read(Math.min(this.#socket.readableLength, partBytes) || undefined);
      if (part === null) return;
      const { bytesRead } = this.decrypted ?? { bytesRead: 0 };
      this.#silentBytes = part.length + (bytesRead === this.#decryptedBytes ? this.#silentBytes : 0);
      this.#decryptedBytes = bytesRead;
      const isTooLong = this.#silentBytes > (this.decrypted ? maxSilentBytes : maxHandshakeBytes);
      if (isTooLong) this.destroy(new ServerMisbehavedError('sends too much in its TLS handshake'));
      else this.#isWanted = this.push(part);
    }
  }
}
