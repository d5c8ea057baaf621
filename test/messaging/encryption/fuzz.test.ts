import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeDetail } from '../../../src/messaging/encryption/detail.ts';
import { openEvent, openFailures, placeEvent, sealContent } from '../../../src/messaging/encryption/index.ts';
import { sealBox } from '../../../src/messaging/encryption/secretbox.ts';
import { encodeSignature, signedPayload } from '../../../src/messaging/encryption/signature.ts';
import { thriftTypes } from '../../../src/messaging/encryption/thrift-struct.ts';
import { repetitions } from '../../support/repetitions.ts';
import { pair } from './people.ts';

const { ada, bo, conversationId, key, reader } = pair();
const bob = reader(bo);
const placement = { sequenceId: '7', createdAtMs: 1_790_000_000_000 };
const subject = { messageId: 'm-1', senderId: ada.userId, conversationId };

/** Checks that opening returns a documented result. */
function answers(raw: string) {
  const result = openEvent(raw, bob);
  if (!result.ok) expect(openFailures).toContain(result.reason);
  return result;
}

/** Random structs whose fields have the ids of the scheme and any type. */
const { thriftStruct } = fc.letrec<{ thriftStruct: Buffer; field: Buffer }>((tie) => ({
  thriftStruct: fc
    .array(tie('field'), { maxLength: 5 })
    .map((fields) => Buffer.concat([...fields, Buffer.of(thriftTypes.stop)])),
  field: fc.oneof(
    { depthSize: 'small' },
    ofType(thriftTypes.string, fc.uint8Array({ maxLength: 40 }).map(sized)),
    ofType(thriftTypes.i32, bytesOf(4)),
    ofType(thriftTypes.i64, bytesOf(8)),
    ofType(thriftTypes.bool, bytesOf(1)),
    ofType(thriftTypes.struct, tie('thriftStruct')),
    ofType(
      thriftTypes.list,
      fc
        .array(tie('thriftStruct'), { maxLength: 3 })
        .map((all) => Buffer.concat([Buffer.of(thriftTypes.struct, 0, 0, 0, all.length), ...all])),
    ),
  ),
}));

function ofType(type: number, value: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Buffer> {
  const id = fc.constantFrom(1, 2, 3, 4, 5, 6, 7, 9, 100, 101);
  return fc.tuple(id, value).map(([at, bytes]) => Buffer.concat([Buffer.of(type, 0, at), bytes]));
}

function bytesOf(length: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength: length, maxLength: length });
}

function sized(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(0, 0, 0, bytes.length), bytes]);
}

describe('opening does not throw', () => {
  test('for any text or bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (raw) => !answers(raw).ok),
      { numRuns: repetitions(300, 2_000) },
    );
    const bytes = fc.uint8Array({ maxLength: 400 }).map((all) => Buffer.from(all).toString('base64'));
    fc.assert(
      fc.property(bytes, (raw) => !answers(raw).ok),
      { numRuns: repetitions(600, 5_000) },
    );
  });

  test('for structs with the fields of the scheme and any types', () => {
    fc.assert(
      fc.property(thriftStruct, (struct) => !answers(struct.toString('base64')).ok),
      { numRuns: repetitions(600, 5_000) },
    );
  });

  test('for events with a replaced part, and returns signed fields only', () => {
    const sent = sealContent(ada, conversationId, key, { kind: 'message', text: 'x', attachments: [] }, randomBytes);
    const whole = Buffer.from(placeEvent(sent, placement), 'base64');
    const cut = fc.tuple(fc.nat(whole.length), fc.nat(12), fc.uint8Array({ maxLength: 12 }));
    const property = fc.property(cut, ([start, length, put]) => {
      const changed = Buffer.concat([whole.subarray(0, start), put, whole.subarray(start + length)]);
      const result = answers(changed.toString('base64'));
      if (result.ok) {
        const { messageId, senderId } = result.value;
        expect({ messageId, senderId }).toEqual({ messageId: sent.messageId, senderId: ada.userId });
        expect(result.value).toMatchObject({ kind: 'message', text: 'x', attachments: [] });
      }
    });
    fc.assert(property, { numRuns: repetitions(600, 5_000) });
  });

  test('for any content that a participant encrypted and signed', () => {
    const property = fc.property(fc.oneof(thriftStruct, fc.uint8Array({ maxLength: 100 })), (plain) => {
      const sealed = sealBox(plain, key.key, randomBytes);
      const detail = { kind: 'content', keyVersion: key.version, sealed } as const;
      const event = {
        ...subject,
        detail: encodeDetail(detail).toString('base64'),
        signature: encodeSignature(ada, signedPayload(subject, detail)).toString('base64'),
      };
      const result = answers(placeEvent(event, placement));
      if (!result.ok) expect(['corrupt', 'unsupported']).toContain(result.reason);
    });
    fc.assert(property, { numRuns: repetitions(100, 500) });
  });

  test('for large inputs, of which at most a megabyte is parsed', () => {
    expect(answers(Buffer.alloc(700_000, thriftTypes.struct).toString('base64')).ok).toBe(false);
    expect(answers(Buffer.alloc(700_000).toString('base64')).ok).toBe(false);
    expect(answers('A'.repeat(50_000_000)).ok).toBe(false);
  });
});

test('any text is opened unchanged, including byte order marks', () => {
  const property = fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
    const sent = sealContent(ada, conversationId, key, { kind: 'message', text, attachments: [] }, randomBytes);
    expect(answers(placeEvent(sent, placement))).toMatchObject({ ok: true, value: { text } });
  });
  fc.assert(property, { numRuns: repetitions(60, 300) });
});
