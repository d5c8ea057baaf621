import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type ChatEvent,
  ConversationKeys,
  conversationIdOf,
  openEvent,
  Peers,
  placeEvent,
  SeenMessages,
  type SignedEvent,
  sealContent,
  sealKeyChange,
  signDelete,
} from '../../../src/messaging/encryption/index.ts';
import { stringField, struct } from '../../../src/messaging/encryption/thrift-writer.ts';
import { established, nowMs, openEvents, pair, person, registered } from './people.ts';

const placement = { sequenceId: '5001', createdAtMs: nowMs };
const text = 'meet me at noon';
const message = { kind: 'message', text, attachments: [] } as const;

const { ada, bo, conversationId, peers, key, reader, established: keyChange } = pair();
const sent = sealContent(ada, conversationId, key, message, randomBytes);
const deletion = signDelete(ada, conversationId, { sequenceIds: ['41'], forAll: true }, randomBytes);

/** Opens an event as Bo. */
const open = (event: SignedEvent, more: object = {}) =>
  openEvent(placeEvent(event, placement), { ...reader(bo), ...more });
const refusal = (reason: string) => expect.objectContaining({ ok: false, reason });

/** Returns every variant of `bytes` that differs in one bit. */
function* flips(bytes: Buffer): Generator<Buffer> {
  for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    yield flipped;
  }
}

/** Returns the part of an event that its sender signed. */
const signedPart = ({ sequenceId: _s, createdAtMs: _c, ...signed }: ChatEvent) => signed;

describe('a flipped bit', () => {
  test.each([
    ['message', sent],
    ['deletion', deletion],
  ])('anywhere in a %s, as its sender sent it, is refused', (_, event) => {
    expect(open(event).ok).toBe(true);
    for (const part of ['detail', 'signature'] as const) {
      for (const flipped of flips(Buffer.from(event[part], 'base64'))) {
        expect(open({ ...event, [part]: flipped.toString('base64') }).ok).toBe(false);
      }
    }
    for (const part of ['messageId', 'senderId', 'conversationId'] as const) {
      for (const flipped of flips(Buffer.from(event[part]))) {
        expect(open({ ...event, [part]: flipped.toString('latin1') }).ok).toBe(false);
      }
    }
  });

  test('anywhere in a placed event is refused, or is in the unsigned fields that the platform adds', () => {
    const whole = Buffer.from(placeEvent(sent, placement), 'base64');
    const original = openEvent(whole.toString('base64'), reader(bo));
    for (const flipped of flips(whole)) {
      const result = openEvent(flipped.toString('base64'), reader(bo));
      if (result.ok) expect(signedPart(result.value)).toEqual(original.ok && signedPart(original.value));
    }
  });

  test('anywhere in a key change is refused by at least one of its receivers', () => {
    const opens = (event: SignedEvent) =>
      [ada, bo].every((self) => open(event, { self, keys: new ConversationKeys() }).ok);
    expect(opens(keyChange)).toBe(true);
    for (const flipped of flips(Buffer.from(keyChange.detail, 'base64'))) {
      expect(opens({ ...keyChange, detail: flipped.toString('base64') })).toBe(false);
    }
  });
});

describe('events in a wrong context', () => {
  test('a message under another sender, or in another conversation, is refused', () => {
    expect(open({ ...sent, senderId: bo.userId })).toEqual(refusal('bad_signature'));
    const other = conversationIdOf(ada.userId, '333');
    const elsewhere = { ...reader(person('333')), conversationId: other };
    expect(openEvent(placeEvent(sent, placement), elsewhere)).toEqual(refusal('wrong_conversation'));
    const renamed = placeEvent({ ...sent, conversationId: other }, placement);
    expect(openEvent(renamed, elsewhere)).toEqual(refusal('bad_signature'));
  });

  test('a sender outside the conversation is refused, even with a valid signature', () => {
    const eve = person('333');
    const forged = sealContent(eve, conversationIdOf('222', '333'), key, message, randomBytes);
    const known = new Peers([ada, bo, eve].map(registered));
    expect(open({ ...forged, conversationId }, { peers: known })).toEqual(refusal('wrong_conversation'));
  });

  test('one participant cannot sign for the other', () => {
    const forged = sealContent({ ...bo, userId: ada.userId }, conversationId, key, message, randomBytes);
    expect(open(forged)).toEqual(refusal('bad_signature'));
  });

  test('the signature of one kind of event is not valid for another kind', () => {
    expect(open({ ...sent, signature: deletion.signature })).toEqual(refusal('bad_signature'));
    expect(open({ ...deletion, detail: sent.detail })).toEqual(refusal('bad_signature'));
  });

  test('a repeated event is detected by its id', () => {
    const seen = new SeenMessages();
    const places = ['5001', '5002'].map((sequenceId) => placeEvent(sent, { ...placement, sequenceId }));
    const replays = openEvents(places, reader(bo)).map((event) => event.ok && seen.isReplay(event.value));
    expect(replays).toEqual([false, true]);
    expect(seen.isReplay({ senderId: bo.userId, messageId: sent.messageId })).toBe(false);
  });

  test('no signed field can contain a comma', () => {
    const twisted = { sequenceIds: ['41,42'], forAll: true };
    expect(() => signDelete(ada, conversationId, twisted, randomBytes)).toThrow('comma');
    expect(open({ ...sent, messageId: 'a,b' })).toEqual(refusal('corrupt'));
  });
});

describe('signatures', () => {
  const signedAs = (signatureVersion: string, publicKeyVersion = '1') => {
    const signature = struct(
      stringField(1, 'A'.repeat(86)),
      stringField(2, publicKeyVersion),
      stringField(3, signatureVersion),
    );
    return open({ ...sent, signature: signature.toString('base64') });
  };

  test('of older versions are downgrades, of newer versions unsupported, and others corrupt', () => {
    expect(signedAs('6')).toEqual(refusal('downgrade'));
    expect(signedAs('8')).toEqual(refusal('unsupported'));
    expect(signedAs('07')).toEqual(refusal('corrupt'));
    expect(signedAs('-1')).toEqual(refusal('corrupt'));
    expect(signedAs('7')).toEqual(refusal('bad_signature'));
  });

  test('under a key version that the sender has not registered are refused', () => {
    expect(signedAs('7', '2')).toEqual(refusal('unknown_sender'));
  });

  test('that are missing are refused, and a key inside the event is not used', () => {
    expect(open({ ...sent, signature: struct().toString('base64') })).toEqual(refusal('bad_signature'));
    const eve = person('333');
    const forged = sealContent({ ...eve, userId: ada.userId }, conversationId, key, message, randomBytes);
    const fields = Buffer.from(forged.signature, 'base64').subarray(0, -1);
    const carried = stringField(4, registered(eve).signingPublicKey);
    const signature = Buffer.concat([fields, carried ?? Buffer.alloc(0), Buffer.of(0)]).toString('base64');
    expect(open({ ...forged, signature })).toEqual(refusal('bad_signature'));
  });

  test('by keys without valid signatures of each other are refused', () => {
    const [honest, other] = [registered(ada), registered(person('333'))];
    const swapped = [
      { ...honest, publicKey: other.publicKey },
      { ...honest, signingPublicKey: other.signingPublicKey },
      { ...honest, identityPublicKeySignature: other.identityPublicKeySignature },
      { ...honest, signingPublicKeySignature: other.signingPublicKeySignature },
      { ...honest, publicKey: '!' },
      { ...honest, publicKey: Buffer.alloc(65, 4).toString('base64') },
      { ...honest, signingPublicKeySignature: '' },
    ];
    for (const one of swapped) {
      const unbound = new Peers([one, registered(bo)]);
      expect(open(sent, { peers: unbound })).toEqual(refusal('binding'));
      expect(sealKeyChange(bo, conversationId, unbound, { nowMs, randomBytes })).toEqual(refusal('binding'));
    }
  });

  test('by a key of another user that signs the identity key of the victim are refused', () => {
    // The official SDK checks only the signature of the signing key, which anybody can make.
    const eve = person('333');
    const mixed = registered({ ...ada, keys: { identity: ada.keys.identity, signing: eve.keys.signing } });
    const { signingPublicKeySignature } = registered(ada);
    const found = new Peers([{ ...mixed, signingPublicKeySignature }]).find(ada.userId, '1');
    expect(found).toEqual(refusal('binding'));
  });
});

describe('conversation keys', () => {
  test('that are missing and keys that are wrong have different errors', () => {
    expect(open(sent, { keys: new ConversationKeys() })).toEqual(refusal('no_key'));
    const wrong = new ConversationKeys();
    wrong.adopt({ version: key.version, key: randomBytes(32) });
    expect(open(sent, { keys: wrong })).toEqual(refusal('wrong_key'));
  });

  test('are taken from the key changes of a page, in any position', () => {
    const page = [sent, keyChange].map((event) => placeEvent(event, placement));
    const results = openEvents(page, { ...reader(bo), keys: new ConversationKeys() });
    expect(results.map((result) => result.ok && result.value.kind)).toEqual(['message', 'keyChange']);
  });

  test('that are encrypted for another user or for replaced keys cannot be opened', () => {
    const stranger = person('222');
    expect(open(keyChange, { self: stranger })).toEqual(refusal('wrong_key'));
    expect(open(keyChange, { self: { ...bo, publicKeyVersion: '2' } })).toEqual(refusal('no_key'));
  });

  test('that are older only open earlier events', () => {
    const later = sealKeyChange(ada, conversationId, peers, { nowMs: nowMs + 1, randomBytes });
    if (!later.ok) throw new Error(later.reason);
    const keys = new ConversationKeys();
    const page = [later.value.event, keyChange].map((event) => placeEvent(event, placement));
    expect(openEvents(page, { ...reader(bo), keys }).every(({ ok }) => ok)).toBe(true);
    expect(keys.latest?.version).toBe(later.value.key.version);
    for (const old of [sent, keyChange]) expect(open(old, { keys }).ok).toBe(true);
  });

  test('do not change for a version', () => {
    const again = established(ada, conversationId, peers);
    expect(again.key.version).toBe(key.version);
    expect(open(again.event)).toEqual(refusal('wrong_key'));
    const { keys } = reader(bo);
    expect(keys.adopt(again.key)).toBe(false);
    expect(keys.latest).toEqual(key);
  });

  test('are not created for a participant without keys', () => {
    const alone = new Peers([registered(ada)]);
    expect(sealKeyChange(ada, conversationId, alone, { nowMs, randomBytes })).toEqual(refusal('unknown_sender'));
  });

  test('are overwritten by `zeroise`', () => {
    const { keys } = reader(bo);
    const held = keys.get(key.version);
    keys.zeroise();
    expect(held?.every((byte) => byte === 0)).toBe(true);
    expect(keys.latest).toBeUndefined();
  });
});

test('a message that cannot be opened does not affect the rest of its page, and its error identifies it', () => {
  const broken = sealContent(ada, conversationId, { ...key, key: randomBytes(32) }, message, randomBytes);
  const page = ['?', placeEvent(broken, placement), placeEvent(sent, placement)];
  expect(openEvents(page, reader(bo))).toMatchObject([
    { ok: false, reason: 'corrupt' },
    { ok: false, reason: 'wrong_key', envelope: { messageId: broken.messageId, ...placement } },
    { ok: true, value: { kind: 'message', text } },
  ]);
});
