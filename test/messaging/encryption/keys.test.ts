import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  conversationIdOf,
  exportChatKeys,
  fingerprintOf,
  generateChatKeys,
  importChatKeys,
  Peers,
  participantsOf,
  registrationOf,
  zeroiseChatKeys,
} from '../../../src/messaging/encryption/index.ts';
import { person, registered } from './people.ts';

describe('chat keys', () => {
  test('depend only on the random bytes', () => {
    const seed = (length: number) => Buffer.alloc(length, 7);
    expect(exportChatKeys(generateChatKeys(seed))).toEqual(exportChatKeys(generateChatKeys(seed)));
    expect(exportChatKeys(generateChatKeys(randomBytes))).not.toEqual(exportChatKeys(generateChatKeys(randomBytes)));
  });

  test('can be imported from their 64 bytes, which are copied', () => {
    const keys = generateChatKeys(randomBytes);
    const raw = exportChatKeys(keys);
    const imported = importChatKeys(raw);
    raw.fill(0);
    expect(imported).toEqual(keys);
  });

  test('are not created from bytes that are not a pair of scalars', () => {
    const order = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551';
    const one = '00'.repeat(31).concat('01');
    expect(importChatKeys(Buffer.from(one + one, 'hex'))).toBeDefined();
    for (const hex of ['', one, one + one + one, one + order, order + one, one + '00'.repeat(32), 'ff'.repeat(64)]) {
      expect(importChatKeys(Buffer.from(hex, 'hex'))).toBeUndefined();
    }
  });

  test('are overwritten when they are no longer needed', () => {
    const keys = generateChatKeys(randomBytes);
    zeroiseChatKeys(keys);
    expect(exportChatKeys(keys)).toEqual(new Uint8Array(64));
    expect(() => registrationOf(keys)).toThrow();
  });

  test('have a fingerprint of the identity key only, in either encoding', () => {
    const keys = generateChatKeys(randomBytes);
    const { publicKey } = registrationOf(keys);
    expect(fingerprintOf(publicKey)).toMatch(/^[\w-]{43}$/);
    expect(fingerprintOf(Buffer.from(keys.identity.publicKey).toString('base64'))).toBe(fingerprintOf(publicKey));
    for (const none of ['', 'AAAA', '?', Buffer.alloc(65, 4).toString('base64')]) {
      expect(fingerprintOf(none)).toBeUndefined();
    }
  });
});

describe('the registered keys of a user', () => {
  const ada = person('111');
  const renewed = { ...person('111'), publicKeyVersion: '10' };
  const peers = new Peers([registered(renewed), registered(ada)]);

  test('are found by version', () => {
    expect(peers.find('111', '1')).toMatchObject({ ok: true, value: { identityKey: ada.keys.identity.publicKey } });
    expect(peers.find('111', '2')).toEqual({ ok: false, reason: 'unknown_sender' });
    expect(peers.find('112', '1')).toEqual({ ok: false, reason: 'unknown_sender' });
  });

  test('are compared by version as numbers', () => {
    const newest = new Peers([registered({ ...ada, publicKeyVersion: '9' }), registered(renewed)]).newestOf('111');
    expect(newest).toMatchObject({ ok: true, value: { publicKeyVersion: '10' } });
  });

  test('are not replaced by older ones if the newest have no valid signatures', () => {
    const unbound = { ...registered(renewed), signingPublicKeySignature: registered(ada).signingPublicKeySignature };
    expect(new Peers([registered(ada), unbound]).newestOf('111')).toEqual({ ok: false, reason: 'binding' });
  });
});

describe('a conversation’s id', () => {
  test('is both user ids, the smaller number first', () => {
    expect(conversationIdOf('9', '10')).toBe('9:10');
    expect(conversationIdOf('1790000000000000002', '1790000000000000001')).toBe(
      '1790000000000000001:1790000000000000002',
    );
  });

  test('has one spelling', () => {
    expect(participantsOf('9:10')).toEqual(['9', '10']);
    const others = ['10:9', '9:9', '9-10', '09:10', ':', '9:', '9:10:11', 'g1', '9:10,', ' 9:10', '0:9', '9:1e3'];
    for (const other of others) expect(participantsOf(other)).toBeUndefined();
  });
});
