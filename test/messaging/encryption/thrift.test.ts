import { describe, expect, test } from 'vitest';
import { MalformedError } from '../../../src/messaging/encryption/encoding.ts';
import { readStruct } from '../../../src/messaging/encryption/thrift-reader.ts';
import {
  binaryField,
  i32Field,
  i64Field,
  stringField,
  stringsField,
  struct,
  structField,
  structsField,
} from '../../../src/messaging/encryption/thrift-writer.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const refused = (bytes: Uint8Array) => expect(() => readStruct(bytes)).toThrow(MalformedError);

describe('a struct of the Thrift binary protocol', () => {
  test('is read as it was written', () => {
    const written = struct(
      stringField(1, 'Grüße'),
      binaryField(2, Buffer.of(0, 255)),
      i32Field(3, -2),
      i64Field(4, 2 ** 40),
      structField(5, struct(stringField(1, 'inner'))),
      structsField(6, [struct(i32Field(1, 1)), struct(i32Field(1, 2))]),
      stringsField(300, ['a', '']),
    );
    const read = readStruct(written);
    expect(read.string(1)).toBe('Grüße');
    expect(read.binary(2)).toEqual(Buffer.of(0, 255));
    expect(read.i32(3)).toBe(-2);
    expect(read.i64(4)).toBe(2n ** 40n);
    expect(read.struct(5)?.string(1)).toBe('inner');
    expect(read.structs(6).map((one) => one.i32(1))).toEqual([1, 2]);
    expect(read.strings(300)).toEqual(['a', '']);
    expect(read.string(7)).toBeUndefined();
  });

  test('may have unknown fields of any type', () => {
    const others = [
      '02 0009 01', // bool
      '03 000a ff', // i8
      '04 000b 3ff0000000000000', // double
      '06 000c 0102', // i16
      '0d 000d 0b 08 00000001 00000001 61 00000007', // map<string, i32>
      '0e 000e 02 00000002 00 01', // set<bool>
      '0f 000f 0f 00000001 08 00000000', // list<list<i32>>
      '10 0010 000102030405060708090a0b0c0d0e0f', // uuid
    ];
    const read = readStruct(Buffer.concat([...others.map(hex), hex('0b 0001 00000001 78 00')]));
    expect(read.string(1)).toBe('x');
  });

  test('is refused if it is truncated, padded or inconsistent', () => {
    const whole = struct(stringField(1, 'x'), i32Field(2, 1));
    for (let length = 0; length < whole.length; length += 1) refused(whole.subarray(0, length));
    refused(Buffer.concat([whole, Buffer.of(0)]));
    refused(hex('0b 0001 00000001 78 0b 0001 00000001 78 00')); // a field twice
    refused(hex('02 0001 02 00')); // a bool that is neither
    refused(hex('05 0001 00 00')); // no such type
    refused(hex('0b 0001 ffffffff 00')); // a negative size
  });

  test('is refused if an expected field has another type or is not UTF-8', () => {
    const read = readStruct(struct(i32Field(1, 1), binaryField(2, Buffer.of(255)), stringsField(3, ['x'])));
    expect(() => read.string(1)).toThrow(MalformedError);
    expect(() => read.string(2)).toThrow(MalformedError);
    expect(() => read.structs(3)).toThrow(MalformedError);
    expect(() => read.variant).toThrow(MalformedError);
  });

  test('is refused if its lengths exceed its bytes or if it is nested too deeply', () => {
    refused(hex('0b 0001 7fffffff 00'));
    refused(hex('0f 0001 0c 7fffffff 00'));
    refused(Buffer.concat([hex('0f 0001 0c 0000ffff'), Buffer.alloc(65_535), hex('00')])); // empty structs
    refused(Buffer.concat([Buffer.concat(Array.from({ length: 10_000 }, () => hex('0c 0001'))), Buffer.alloc(10_001)]));
    refused(Buffer.concat([hex('0f 0001'), Buffer.concat(Array.from({ length: 10_000 }, () => hex('0f 00000001')))]));
  });
});
