import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeRecordId,
  decodeUserId,
  encodeDid,
  encodeRecordUri,
  parseRecordUri,
  recordOfHash,
  tidAt,
} from '../../../src/platform/atproto/identifiers.ts';

function holds<Values extends [unknown, ...unknown[]]>(
  ...property: [...{ [At in keyof Values]: fc.Arbitrary<Values[At]> }, (...values: Values) => void]
): void {
  fc.assert(fc.property<Values>(...property));
}

const post = 'app.bsky.feed.post';

const lettersOf = (alphabet: string, length: number) =>
  fc.array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length }).map((letters) => letters.join(''));

const plcDid = lettersOf('abcdefghijklmnopqrstuvwxyz234567', 24).map((name) => `did:plc:${name}`);
const webDid = fc.domain().map((domain) => `did:web:${domain}`);
const tid = fc
  .tuple(lettersOf('234567abcdefghij', 1), lettersOf('234567abcdefghijklmnopqrstuvwxyz', 12))
  .map((parts) => parts.join(''))
  .filter((text) => text !== '2222222222222');
const otherKey = fc.stringMatching(/^[a-zA-Z0-9._~-]{1,60}$/).filter((key) => !/^[2-7a-j][2-7a-z]{12}$/.test(key));

const uriOf = (did: string, key: string) => `at://${did}/${post}/${key}`;

describe('the id of a user', () => {
  test('is numeric, has at most 64 digits, and gives the did:plc back without a look-up', () => {
    holds(plcDid, (did) => {
      const encoded = encodeDid(did);
      expect(encoded?.id).toMatch(/^\d{1,37}$/);
      expect(encoded?.hashed).toBeNull();
      expect(decodeUserId(encoded?.id ?? '')).toEqual({ identifier: did });
    });
  });

  test('of another DID contains a hash by which the DID is looked up', () => {
    holds(webDid, (did) => {
      const { id, hashed } = encodeDid(did) ?? { id: '', hashed: null };
      expect(id).toMatch(/^\d{37}$/);
      expect(hashed).toEqual({ hash: id, identifier: did });
      expect(decodeUserId(id)).toEqual({ hash: id });
    });
  });

  test.each(['', '-1', '1.5', '01', 'abc', '9'.repeat(64), String(1n << 121n)])('is not %j', (id) => {
    expect(decodeUserId(id)).toBeNull();
  });

  test.each(['did:plc:short', 'alice.test', 'did:', 'did:web:', '', 'at://did:plc:x/y/z'])(
    'has a hash for %j if it is a DID, and is null otherwise',
    (did) => {
      expect(encodeDid(did)?.hashed ?? null).toEqual(did === 'did:plc:short' ? expect.anything() : null);
    },
  );
});

describe('the id of a record', () => {
  test('has at most 56 digits and gives the URI back without a look-up', () => {
    holds(plcDid, tid, (did, key) => {
      const encoded = encodeRecordUri(uriOf(did, key));
      expect(encoded?.id).toMatch(/^\d{1,56}$/);
      expect(encoded?.hashed).toBeNull();
      expect(decodeRecordId(encoded?.id ?? '', post)).toEqual({ identifier: uriOf(did, key) });
    });
  });

  test('differs from the ids of all users', () => {
    holds(plcDid, tid, (did, key) => {
      expect(decodeUserId(encodeRecordUri(uriOf(did, key))?.id ?? '')).toBeNull();
      expect(decodeRecordId(encodeDid(did)?.id ?? '', post)).toBeNull();
    });
  });

  test('sorts by the record key, independently of the authors', () => {
    holds(plcDid, plcDid, tid, tid, (one, other, older, newer) => {
      fc.pre(older < newer);
      const [a, b] = [encodeRecordUri(uriOf(one, older)), encodeRecordUri(uriOf(other, newer))];
      expect(BigInt(a?.id ?? 0) < BigInt(b?.id ?? 0)).toBe(true);
    });
  });

  test('of an author without did:plc is looked up by the hash of the author', () => {
    holds(webDid, tid, (did, key) => {
      const { id, hashed } = encodeRecordUri(uriOf(did, key)) ?? { id: '', hashed: null };
      expect(id).toMatch(/^\d{1,64}$/);
      expect(hashed?.identifier).toBe(did);
      expect(decodeRecordId(id, post)).toEqual({ hash: hashed?.hash });
      expect(recordOfHash(id, post, did)).toBe(uriOf(did, key));
    });
  });

  test('with a key that is not a TID is looked up by the hash of its URI, in its own collection only', () => {
    holds(fc.oneof(plcDid, webDid), otherKey, (did, key) => {
      const { id, hashed } = encodeRecordUri(uriOf(did, key)) ?? { id: '', hashed: null };
      expect(hashed?.identifier).toBe(uriOf(did, key));
      expect(decodeRecordId(id, post)).toEqual({ hash: hashed?.hash });
      expect(recordOfHash(id, post, uriOf(did, key))).toBe(uriOf(did, key));
      expect(recordOfHash(id, 'app.bsky.graph.list', uriOf(did, key))).toBeNull();
    });
  });

  test('decodes to null, or to an identifier that encodes to the same id', () => {
    holds(fc.bigInt({ min: 0n, max: 10n ** 64n }), (number) => {
      const decoded = decodeRecordId(String(number), post);
      if (decoded === null || 'hash' in decoded) return;
      expect(encodeRecordUri(decoded.identifier)?.id).toBe(String(number));
    });
  });

  test.each(['at://alice.test/app.bsky.feed.post/3k', 'at://did:plc:x/y', 'https://x.com/a/status/1', '', 'at://'])(
    'is null for %j, which is not the URI of a record',
    (uri) => {
      expect(encodeRecordUri(uri)).toBeNull();
      expect(parseRecordUri(uri)).toBeNull();
    },
  );
});

describe('a record key of a time', () => {
  test('is a TID that sorts by the time', () => {
    holds(fc.bigInt({ min: 0n, max: 2n ** 53n - 2n }), fc.nat(1023), fc.nat(1023), (micros, one, other) => {
      const [older, newer] = [tidAt(micros, one), tidAt(micros + 1n, other)];
      expect(older).toMatch(/^[2-7a-j][2-7a-z]{12}$/);
      expect(older < newer).toBe(true);
    });
  });

  // The example of https://atproto.com/specs/tid.
  test('agrees with the specification', () => {
    expect(tidAt(0n, 0)).toBe('2222222222222');
  });
});
