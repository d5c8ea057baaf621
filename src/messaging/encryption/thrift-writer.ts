import { thriftTypes } from './thrift-struct.ts';

/** An encoded field: type, id and value (Thrift binary protocol). Undefined stands for a field that is not set. */
type FieldBytes = Buffer | undefined;

export function struct(...fields: readonly FieldBytes[]): Buffer {
  return Buffer.concat([...fields.filter((field) => field !== undefined), Buffer.of(thriftTypes.stop)]);
}

export function i32Field(id: number, value: number): FieldBytes {
  return Buffer.concat([header(thriftTypes.i32, id), int32(value)]);
}

export function i64Field(id: number, value: number | undefined): FieldBytes {
  if (value === undefined) return undefined;
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return Buffer.concat([header(thriftTypes.i64, id), bytes]);
}

export function stringField(id: number, text: string): FieldBytes {
  return binaryField(id, Buffer.from(text, 'utf8'));
}

export function binaryField(id: number, bytes: Uint8Array): FieldBytes {
  return Buffer.concat([header(thriftTypes.string, id), sized(bytes)]);
}

/** Encodes a nested struct. `bytes` must come from `struct`. */
export function structField(id: number, bytes: Uint8Array | undefined): FieldBytes {
  return bytes === undefined ? undefined : Buffer.concat([header(thriftTypes.struct, id), bytes]);
}

export function structsField(id: number, structs: readonly Uint8Array[]): FieldBytes {
  return Buffer.concat([listHeader(id, thriftTypes.struct, structs.length), ...structs]);
}

export function stringsField(id: number, texts: readonly string[]): FieldBytes {
  const elements = texts.map((text) => sized(Buffer.from(text, 'utf8')));
  return Buffer.concat([listHeader(id, thriftTypes.string, texts.length), ...elements]);
}

function header(type: number, id: number): Buffer {
  return Buffer.of(type, id >> 8, id & 0xff);
}

function listHeader(id: number, elementType: number, length: number): Buffer {
  return Buffer.concat([header(thriftTypes.list, id), Buffer.of(elementType), int32(length)]);
}

function sized(bytes: Uint8Array): Buffer {
  return Buffer.concat([int32(bytes.length), bytes]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
