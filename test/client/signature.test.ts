import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { webHmac } from '../../src/client/webhooks/hmac.ts';
import { isSameText } from '../../src/client/webhooks/signature.ts';
import { nodeHmac } from '../../src/webhooks/delivery/signatures.ts';
import vectors from './vectors.json' with { type: 'json' };

const bytes = fc.uint8Array({ maxLength: 300 });

describe.each([
  ['of the kit', webHmac],
  ['of the gateway', nodeHmac],
])('the HMAC %s', (_name, hmac) => {
  test.each(vectors.cases.map((each, i) => [i + 1, each] as const))('passes case %i of RFC 4231', (_case, vector) => {
    const mac = hmac(Buffer.from(vector.key, 'hex'), Buffer.from(vector.data, 'hex'));
    expect(Buffer.from(mac, 'base64')).toHaveLength(32);
    expect(
      Buffer.from(mac, 'base64')
        .subarray(0, vector.mac.length / 2)
        .toString('hex'),
    ).toBe(vector.mac);
  });

  test('takes texts as UTF-8, and several parts as one', () => {
    const parts = fc.array(fc.oneof(bytes, fc.string({ unit: 'grapheme' })), { maxLength: 4 });
    const keys = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.string({ unit: 'grapheme', minLength: 1 }),
    );
    fc.assert(
      fc.property(keys, parts, (key, each) => {
        const whole = Buffer.concat(each.map((part) => Buffer.from(part as string)));
        expect(hmac(key, ...each)).toBe(createHmac('sha256', key).update(whole).digest('base64'));
      }),
    );
  });
});

test('texts are compared to their end', () => {
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => isSameText(a, b) === (a === b) && isSameText(a, a)));
  expect(isSameText('sha256=a', 'sha256=b')).toBe(false);
  expect(isSameText('', 'a')).toBe(false);
});
