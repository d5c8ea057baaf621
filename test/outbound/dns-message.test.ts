import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeQuery, readAnswer, recordTypes } from '../../src/outbound/dns-message.ts';

function queryOf(name: string, type: number = recordTypes.ipv4): Buffer {
  return encodeQuery(Buffer.of(0x12, 0x34), name, type) ?? expect.unreachable();
}

const query = queryOf('shop.example');
/** The header and the question, without EDNS. */
const questionEnd = 12 + 'shop.example'.length + 2 + 4;
const pointer = [0xc0, 12];
const alias = [...pointer, 0, 5, 0, 1, 0, 0, 0, 9, 0, 2, ...pointer];
const address = (last: number) => [...pointer, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, last];

function responseOf(count: number, records: readonly number[], flags = [0x81, 0x80]): Buffer {
  const head = Buffer.of(0x12, 0x34, ...flags, 0, 1, 0, count, 0, 0, 0, 0);
  return Buffer.concat([head, query.subarray(12, questionEnd), Buffer.from(records)]);
}

describe('DNS query', () => {
  test('has one question and EDNS', () => {
    const expected = '123401000001000000000001' + '0473686f70076578616d706c65000001000100002904d0000000000000';
    expect(query.toString('hex')).toBe(expected);
    expect(queryOf('shop.example.')).toEqual(query);
  });
});

describe('DNS response', () => {
  test('has the addresses of all records of the asked type, and the shortest TTL', () => {
    const response = responseOf(3, [...alias, ...address(1), ...address(2)]);
    const answer = { code: 0, isTruncated: false, addresses: ['192.0.2.1', '192.0.2.2'], ttl: 9 };
    expect(readAnswer(response, query)).toEqual(answer);
    expect(readAnswer(responseOf(0, [], [0x83, 0x83]), query)).toMatchObject({ code: 3, isTruncated: true });
  });

  test('is read as far as it goes', () => {
    const response = responseOf(3, [...alias, ...address(1), ...address(2)]);
    for (let length = 0; length < response.length; length++) {
      const answer = readAnswer(response.subarray(0, length), query);
      const whole = Math.floor((length - questionEnd - alias.length) / address(1).length);
      if (length < questionEnd) expect(answer).toBeNull();
      else expect(answer?.addresses).toHaveLength(Math.max(0, whole));
    }
  });

  test('does not belong to the query with another id, another question, or as a query', () => {
    const response = responseOf(1, address(1));
    const changed = (at: number, byte: number) => {
      const bytes = Buffer.from(response);
      bytes[at] = byte;
      return readAnswer(bytes, query);
    };
    expect([changed(0, 0), changed(2, 1), changed(5, 2), changed(13, 0x74), changed(questionEnd - 3, 28)]).toEqual(
      Array(5).fill(null),
    );
    expect(changed(13, 'S'.charCodeAt(0))).toMatchObject({ addresses: ['192.0.2.1'] });
  });

  test('may hold any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(255), (bytes, count) => {
        const answer = readAnswer(responseOf(count, [...bytes]), query);
        for (const found of answer?.addresses ?? []) expect(found).toMatch(/^\d+(\.\d+){3}$/);
        readAnswer(Buffer.from(bytes), query);
      }),
    );
  });
});
