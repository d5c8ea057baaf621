import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { x25519 } from '@noble/curves/ed25519.js';
import { blake2s } from '@noble/hashes/blake2.js';
import { hmac } from '@noble/hashes/hmac.js';

export interface Handshake {
  readonly client_ephemeral_public: Uint8Array;
  readonly payload_ciphertext: Uint8Array;
}

/** Encrypts or decrypts the messages of one direction. */
type Cipher = (operation: 'encrypt' | 'decrypt', text: Uint8Array, associated?: Uint8Array) => Uint8Array;

/** A session, whose ciphers are used in the order of the messages. */
export interface NoiseSession {
  readonly inbound: Cipher;
  readonly outbound: Cipher;
}

const none = new Uint8Array(0);

/** The realm's side of `Noise_NK_25519_ChaChaPoly_BLAKE2s`. Returns the payload, and a function that responds. */
export function acceptHandshake(secret: Uint8Array, { client_ephemeral_public, payload_ciphertext }: Handshake) {
  let chaining: Uint8Array = blake2s(Buffer.from('Noise_NK_25519_ChaChaPoly_BLAKE2s'));
  let hash = chaining;
  const mixHash = (data: Uint8Array) => {
    hash = blake2s(Buffer.concat([hash, data]));
  };
  const mixKey = (input: Uint8Array) => {
    const [next, key] = twoKeys(chaining, input);
    chaining = next;
    return cipher(key);
  };
  for (const part of [none, x25519.getPublicKey(secret), client_ephemeral_public]) mixHash(part);
  const payload = mixKey(x25519.getSharedSecret(secret, client_ephemeral_public))('decrypt', payload_ciphertext, hash);
  mixHash(payload_ciphertext);
  const respond = (answer: Uint8Array) => {
    const own = x25519.keygen();
    mixHash(own.publicKey);
    const sealed = mixKey(x25519.getSharedSecret(own.secretKey, client_ephemeral_public))('encrypt', answer, hash);
    const [inbound, outbound] = twoKeys(chaining, none).map(cipher) as [Cipher, Cipher];
    const session: NoiseSession = { inbound, outbound };
    return { handshake: { server_ephemeral_public: own.publicKey, payload_ciphertext: sealed }, session };
  };
  return { payload, respond };
}

/** HKDF of the Noise protocol with two outputs. */
function twoKeys(chaining: Uint8Array, input: Uint8Array): [Uint8Array, Uint8Array] {
  const key = hmac(blake2s, chaining, input);
  const first = hmac(blake2s, key, Uint8Array.of(1));
  return [first, hmac(blake2s, key, Uint8Array.from([...first, 2]))];
}

function cipher(key: Uint8Array): Cipher {
  let count = 0n;
  return (operation, text, associated = none) => {
    const nonce = Buffer.alloc(12);
    nonce.writeBigUInt64LE(count++, 4);
    return chacha20poly1305(key, Uint8Array.from(nonce), associated)[operation](text);
  };
}
