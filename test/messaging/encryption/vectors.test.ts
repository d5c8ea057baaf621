import { createHmac, hkdfSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  isSignedBy,
  keyPairOf,
  scalarLength,
  sharedSecret,
  sign,
  verifierOf,
} from '../../../src/messaging/encryption/p256.ts';
import { decryptGcm, encryptGcm } from '../../../src/messaging/encryption/wrap.ts';

interface Group<T> {
  tests: readonly T[];
  keySize?: number;
  publicKey?: { uncompressed: string };
}

interface Case {
  tcId: number;
  comment: string;
  result: 'valid' | 'invalid' | 'acceptable';
}

/**
 * Reads a file of C2SP/wycheproof. Uses the complete file if it is available next to the project, otherwise the checked-in selection.
 * `origin` describes the source for the name of the test.
 */
function wycheproof<T extends Case>(name: string): { groups: readonly Group<T>[]; origin: string } {
  const whole = new URL(`../../../../shared/vectors/wycheproof/${name}`, import.meta.url);
  const selection = new URL(`./vectors/wycheproof-${name}`, import.meta.url);
  const isWhole = existsSync(whole);
  const { testGroups } = JSON.parse(readFileSync(isWhole ? whole : selection, 'utf8')) as {
    testGroups: readonly Group<T>[];
  };
  return { groups: testGroups, origin: isWhole ? 'the whole file' : 'the selection' };
}

const bytes = (hex: string) => Buffer.from(hex, 'hex');

/** Runs `isRight` for all cases and returns those for which it is false. */
function failures<T extends Case>(cases: readonly T[], isRight: (one: T) => boolean): string[] {
  return cases.filter((one) => !isRight(one)).map(({ tcId, comment }) => `${tcId} ${comment}`);
}

/** Returns the result of a check. An exception counts as a refusal. */
function attempt<T>(task: () => T): T | undefined {
  try {
    return task();
  } catch {
    return undefined;
  }
}

const ecdsa = wycheproof<Case & { msg: string; sig: string }>('ecdsa_secp256r1_sha256_p1363_test.json');
const signatures = ecdsa.groups.flatMap(({ tests, publicKey }) =>
  tests.map((one) => ({ ...one, point: bytes(publicKey?.uncompressed ?? '') })),
);

test(`ECDSA accepts and refuses as Wycheproof says: ${signatures.length} signatures, ${ecdsa.origin}`, () => {
  expect(signatures.length).toBeGreaterThan(0);
  const isRight = ({ point, msg, sig, result }: (typeof signatures)[number]) =>
    isSignedBy(verifierOf(point), bytes(msg), bytes(sig)) === (result === 'valid');
  expect(failures(signatures, isRight)).toEqual([]);
});

test('ECDSA signs as RFC 6979 (A.2.5) says, and leaves s as it comes', () => {
  const pair = keyPairOf(bytes('c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721'));
  const signature = Buffer.from(sign(Buffer.from('sample'), pair?.privateKey ?? Buffer.alloc(0)));
  expect(signature.toString('hex')).toBe(
    'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716' +
      'f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8',
  );
});

const ecdh = wycheproof<Case & { public: string; private: string; shared: string }>('ecdh_secp256r1_ecpoint_test.json');
const agreements = ecdh.groups.flatMap(({ tests }) => tests);

test(`ECDH agrees and refuses as Wycheproof says: ${agreements.length} agreements, ${ecdh.origin}`, () => {
  expect(agreements.length).toBeGreaterThan(0);
  const isRight = (one: (typeof agreements)[number]) => {
    // Wycheproof encodes scalars as signed integers, so some have a leading zero byte and some are short.
    const scalar = bytes(one.private.padStart(2 * scalarLength, '0').slice(-2 * scalarLength));
    const shared = attempt(() => sharedSecret(scalar, bytes(one.public)));
    // Compressed points are "acceptable" in Wycheproof. The scheme does not use them and refuses them.
    return one.result === 'valid' ? shared?.equals(bytes(one.shared)) === true : shared === undefined;
  };
  expect(failures(agreements, isRight)).toEqual([]);
});

const gcm = wycheproof<Case & { key: string; iv: string; aad: string; msg: string; ct: string; tag: string }>(
  'aes_gcm_test.json',
);
/** OpenSSL supports IVs of 1 to 128 bytes. The IVs of the scheme have 16 bytes. */
const openSslTakes = (iv: string) => iv.length >= 2 && iv.length <= 256;
const sealings = gcm.groups.flatMap(({ tests, keySize }) =>
  tests.filter(({ aad, iv }) => keySize === 128 && aad === '' && openSslTakes(iv)),
);

test(`AES-128-GCM seals and opens as Wycheproof says: ${sealings.length} boxes, ${gcm.origin}`, () => {
  expect(sealings.length).toBeGreaterThan(0);
  const isRight = ({ key, iv, msg, ct, tag, result }: (typeof sealings)[number]) => {
    const opened = decryptGcm(bytes(key), bytes(iv), bytes(ct + tag));
    if (result !== 'valid') return opened === undefined;
    const sealed = encryptGcm(bytes(key), bytes(iv), bytes(msg));
    return opened?.equals(bytes(msg)) === true && sealed.equals(bytes(ct + tag));
  };
  expect(failures(sealings, isRight)).toEqual([]);
});

// Both functions belong to Node. Other modules use them to derive keys, to compute ids of events and to check bodies.
const hkdf = wycheproof<Case & { ikm: string; salt: string; info: string; size: number; okm: string }>(
  'hkdf_sha256_test.json',
);
const derivations = hkdf.groups.flatMap(({ tests }) => tests);

test(`HKDF-SHA-256 derives as Wycheproof says: ${derivations.length} keys, ${hkdf.origin}`, () => {
  expect(derivations.length).toBeGreaterThan(0);
  const isRight = ({ ikm, salt, info, size, okm, result }: (typeof derivations)[number]) => {
    const derived = attempt(() => Buffer.from(hkdfSync('sha256', bytes(ikm), bytes(salt), bytes(info), size)));
    return result === 'valid' ? derived?.equals(bytes(okm)) === true : derived === undefined;
  };
  expect(failures(derivations, isRight)).toEqual([]);
});

const hmac = wycheproof<Case & { key: string; msg: string; tag: string }>('hmac_sha256_test.json');
const macs = hmac.groups.flatMap(({ tests }) => tests);

test(`HMAC-SHA-256 is as Wycheproof says: ${macs.length} tags, ${hmac.origin}`, () => {
  expect(macs.length).toBeGreaterThan(0);
  const isRight = ({ key, msg, tag, result }: (typeof macs)[number]) => {
    const made = createHmac('sha256', bytes(key)).update(bytes(msg)).digest().subarray(0, bytes(tag).length);
    return made.equals(bytes(tag)) === (result === 'valid');
  };
  expect(failures(macs, isRight)).toEqual([]);
});
