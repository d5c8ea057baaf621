import { MalformedError } from './encoding.ts';
import { type Field, ThriftStruct, type ThriftValue, thriftTypes } from './thrift-struct.ts';

/**
 * The limit of values in a struct, because a few malicious bytes could otherwise describe a very large one. Real events
 * have fewer than ten. Reading a value takes some microseconds.
 */
const maxValues = 1_000;
const maxDepth = 16;

/**
 * Decodes a struct that must fill `bytes` completely. Strings and binaries in the result are views of `bytes`. Throws
 * `MalformedError`.
 */
export function readStruct(bytes: Uint8Array): ThriftStruct {
  const cursor = new Cursor(bytes);
  const struct = cursor.struct(0);
  if (!cursor.isAtEnd) throw new MalformedError('bytes are left over');
  return struct;
}

class Cursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;
  #values = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  struct(depth: number): ThriftStruct {
    if (depth > maxDepth) throw new MalformedError('nested too deeply');
    const fields = new Map<number, Field>();
    for (;;) {
      const type = this.#byte();
      if (type === thriftTypes.stop) return new ThriftStruct(fields);
      const id = this.#view.getInt16(this.#take(2));
      if (fields.has(id)) throw new MalformedError(`field ${id} comes twice`);
      const isList = type === thriftTypes.list || type === thriftTypes.set;
      const elementType = isList ? this.#byte() : thriftTypes.stop;
      const value = isList ? this.#elements(elementType, depth) : this.#value(type, depth);
      fields.set(id, { type, elementType, value });
    }
  }

  #value(type: number, depth: number): ThriftValue {
    this.#count();
    switch (type) {
      case thriftTypes.bool:
        return this.#bool();
      case thriftTypes.i8:
        return this.#view.getInt8(this.#take(1));
      case thriftTypes.double:
        return this.#view.getFloat64(this.#take(8));
      case thriftTypes.i16:
        return this.#view.getInt16(this.#take(2));
      case thriftTypes.i32:
        return this.#view.getInt32(this.#take(4));
      case thriftTypes.i64:
        return this.#view.getBigInt64(this.#take(8));
      case thriftTypes.string:
        return this.#binary(this.#size());
      case thriftTypes.uuid:
        return this.#binary(16);
      case thriftTypes.struct:
        return this.struct(depth + 1);
      case thriftTypes.list:
      case thriftTypes.set:
        return this.#elements(this.#byte(), depth);
      case thriftTypes.map:
        return this.#entries(this.#byte(), this.#byte(), depth);
      default:
        throw new MalformedError(`there is no type ${type}`);
    }
  }

  #elements(type: number, depth: number): readonly ThriftValue[] {
    if (depth > maxDepth) throw new MalformedError('nested too deeply');
    this.#count();
    const values: ThriftValue[] = [];
    // Do not allocate the declared size in advance, because the declared size is untrusted.
    for (let left = this.#size(); left > 0; left -= 1) values.push(this.#value(type, depth + 1));
    return values;
  }

  #entries(keyType: number, valueType: number, depth: number): readonly ThriftValue[] {
    if (depth > maxDepth) throw new MalformedError('nested too deeply');
    const values: ThriftValue[] = [];
    for (let left = this.#size(); left > 0; left -= 1) {
      values.push(this.#value(keyType, depth + 1), this.#value(valueType, depth + 1));
    }
    return values;
  }

  #count(): void {
    this.#values += 1;
    if (this.#values > maxValues) throw new MalformedError('too many values');
  }

  #bool(): boolean {
    const byte = this.#byte();
    if (byte > 1) throw new MalformedError('a bool is 0 or 1');
    return byte === 1;
  }

  #binary(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  #byte(): number {
    return this.#view.getUint8(this.#take(1));
  }

  #size(): number {
    const size = this.#view.getInt32(this.#take(4));
    if (size < 0) throw new MalformedError('a size is negative');
    return size;
  }

  /** Advances by `length` bytes and returns the previous position. */
  #take(length: number): number {
    const start = this.#offset;
    if (length > this.#bytes.length - start) throw new MalformedError('it ends too soon');
    this.#offset = start + length;
    return start;
  }
}
