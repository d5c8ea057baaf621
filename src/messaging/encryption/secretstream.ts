import { poly1305 } from '@noble/ciphers/_poly1305.js';
import { chacha20, hchacha } from '@noble/ciphers/chacha.js';

/**
 * An implementation of libsodium's `crypto_secretstream_xchacha20poly1305` (documentation: "Secret stream"), which the
 * official SDK (0.4.3) uses for media. Each chunk is `tag byte ‖ ciphertext ‖ MAC`. The MAC of a chunk changes the
 * nonce of the next one, so that chunks cannot be removed, repeated or reordered. Only the two tags that the SDK uses
 * are supported, and only encryption: Postern describes attachments, and does not read them.
 */
export const streamHeaderLength = 24;
/** The number of bytes that encryption adds to a chunk: the tag byte and the MAC. */
export const chunkOverhead = 17;
export const streamTags = { message: 0, final: 3 } as const;

const blockLength = 64;
const macLength = 16;
/** The ChaCha20 constant "expand 32-byte k" (RFC 8439, section 2.3). */
const sigma = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);
/** libsodium replaces the key when the counter overflows. No file reaches this limit, which is four tebibytes. */
const maxCounter = 0xffff_ffff;

export class SecretStream {
  readonly #key: Uint8Array;
  /**
   * 4 bytes of counter, little-endian and starting at 1, followed by 8 bytes that depend on the header and all previous
   * chunks.
   */
  readonly #nonce = new Uint8Array(12);
  #counter = 1;

  constructor(key: Uint8Array, header: Uint8Array) {
    this.#key = subkey(key, header.subarray(0, 16));
    this.#nonce.set(header.subarray(16, streamHeaderLength), 4);
    this.#setCounter(1);
  }

  seal(plain: Uint8Array, tag: number): Uint8Array {
    const work = this.#workspace(plain.length);
    work[blockLength] = tag;
    work.set(plain, 2 * blockLength);
    const text = work.subarray(0, 2 * blockLength + plain.length);
    chacha20(this.#key, this.#nonce, text, text);
    const sealed = new Uint8Array(plain.length + chunkOverhead);
    sealed[0] = work[blockLength] ?? 0;
    sealed.set(work.subarray(2 * blockLength, 2 * blockLength + plain.length), 1);
    const mac = this.#mac(work, plain.length);
    sealed.set(mac, 1 + plain.length);
    this.#advance(mac);
    return sealed;
  }

  /** Allocates one buffer for the MAC key, the tag block, the text, the padding and the lengths. */
  #workspace(length: number): Uint8Array {
    return new Uint8Array(2 * blockLength + length + paddingOf(length) + macLength);
  }

  #mac(work: Uint8Array, length: number): Uint8Array {
    const lengths = new DataView(work.buffer, work.length - macLength, macLength);
    // There is no associated data, so its length stays 0.
    lengths.setUint32(8, blockLength + length, true);
    return poly1305(work.subarray(blockLength), work.subarray(0, 32));
  }

  #advance(mac: Uint8Array): void {
    for (let i = 0; i < 8; i += 1) this.#nonce[4 + i] = (this.#nonce[4 + i] ?? 0) ^ (mac[i] ?? 0);
    if (this.#counter === maxCounter) throw new RangeError('a sealed file has too many chunks');
    this.#setCounter(this.#counter + 1);
  }

  #setCounter(counter: number): void {
    this.#counter = counter;
    new DataView(this.#nonce.buffer).setUint32(0, counter, true);
  }
}

/**
 * Returns the length of the padding. libsodium does not pad to a whole block: it pads by the length modulo 16, and this
 * behaviour is part of the format.
 */
function paddingOf(length: number): number {
  return length % 16;
}

function subkey(key: Uint8Array, input: Uint8Array): Uint8Array {
  const words = new Uint32Array(8);
  hchacha(sigma, toWords(key), toWords(input), words);
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  words.forEach((word, i) => {
    view.setUint32(4 * i, word, true);
  });
  words.fill(0);
  return bytes;
}

function toWords(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i, true));
}
