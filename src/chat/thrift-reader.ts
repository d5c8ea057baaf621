import { fromUtf8, Malformed } from './encoding.ts';
import { thriftTypes } from './thrift-types.ts';

/** Events have a handful; this keeps what a hostile one makes of a few bytes within bounds. */
const maxValues = 10_000;
const maxDepth = 16;

type Value = boolean | number | bigint | Uint8Array | ThriftStruct | readonly Value[];

interface Field {
  type: number;
  /** Of a list or set. */
  elementType: number;
  value: Value;
}

/**
 * A struct of the Thrift binary protocol (its specification: `doc/specs/thrift-binary-protocol.md`). Fields that nobody
 * asks for are skipped, so that newer clients stay readable; one that is asked for under another type is malformed.
 */
export class ThriftStruct {
  readonly #fields: ReadonlyMap<number, Field>;

  constructor(fields: ReadonlyMap<number, Field>) {
    this.#fields = fields;
  }

  /** The one field that a union has set. */
  get variant(): number {
    const [only, another] = this.#fields.keys();
    if (only === undefined || another !== undefined) throw new Malformed('a union has one field');
    return only;
  }

  binary(id: number): Uint8Array | undefined {
    const value = this.#get(id, thriftTypes.string)?.value;
    return value instanceof Uint8Array ? value : undefined;
  }

  string(id: number): string | undefined {
    const value = this.binary(id);
    return value === undefined ? undefined : fromUtf8(value);
  }

  i32(id: number): number | undefined {
    const value = this.#get(id, thriftTypes.i32)?.value;
    return typeof value === 'number' ? value : undefined;
  }

  i64(id: number): bigint | undefined {
    const value = this.#get(id, thriftTypes.i64)?.value;
    return typeof value === 'bigint' ? value : undefined;
  }

  struct(id: number): ThriftStruct | undefined {
    const value = this.#get(id, thriftTypes.struct)?.value;
    return value instanceof ThriftStruct ? value : undefined;
  }

  structs(id: number): readonly ThriftStruct[] {
    return this.#list(id, thriftTypes.struct).filter((value) => value instanceof ThriftStruct);
  }

  strings(id: number): readonly string[] {
    return this.#list(id, thriftTypes.string)
      .filter((value) => value instanceof Uint8Array)
      .map(fromUtf8);
  }

  #list(id: number, elementType: number): readonly Value[] {
    const field = this.#get(id, thriftTypes.list);
    if (field === undefined || !Array.isArray(field.value)) return [];
    if (field.elementType !== elementType && field.value.length > 0)
      throw new Malformed(`list ${id} has other elements`);
    return field.value;
  }

  #get(id: number, type: number): Field | undefined {
    const field = this.#fields.get(id);
    if (field !== undefined && field.type !== type) throw new Malformed(`field ${id} has another type`);
    return field;
  }
}

/** Reads one struct that fills `bytes`. Throws `Malformed`. Strings and binaries are views of `bytes`, not copies. */
export function readStruct(bytes: Uint8Array): ThriftStruct {
  const cursor = new Cursor(bytes);
  const struct = cursor.struct(0);
  if (!cursor.isAtEnd) throw new Malformed('bytes are left over');
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
    if (depth > maxDepth) throw new Malformed('nested too deeply');
    const fields = new Map<number, Field>();
    for (;;) {
      const type = this.#byte();
      if (type === thriftTypes.stop) return new ThriftStruct(fields);
      const id = this.#view.getInt16(this.#take(2));
      if (fields.has(id)) throw new Malformed(`field ${id} comes twice`);
      const isList = type === thriftTypes.list || type === thriftTypes.set;
      const elementType = isList ? this.#byte() : thriftTypes.stop;
      const value = isList ? this.#elements(elementType, depth) : this.#value(type, depth);
      fields.set(id, { type, elementType, value });
    }
  }

  #value(type: number, depth: number): Value {
    this.#values += 1;
    if (this.#values > maxValues) throw new Malformed('too many values');
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
        throw new Malformed(`there is no type ${type}`);
    }
  }

  #elements(type: number, depth: number): readonly Value[] {
    if (depth > maxDepth) throw new Malformed('nested too deeply');
    const values: Value[] = [];
    // Grown value by value: a size is only a claim until its bytes were there.
    for (let left = this.#size(); left > 0; left -= 1) values.push(this.#value(type, depth + 1));
    return values;
  }

  #entries(keyType: number, valueType: number, depth: number): readonly Value[] {
    if (depth > maxDepth) throw new Malformed('nested too deeply');
    const values: Value[] = [];
    for (let left = this.#size(); left > 0; left -= 1) {
      values.push(this.#value(keyType, depth + 1), this.#value(valueType, depth + 1));
    }
    return values;
  }

  #bool(): boolean {
    const byte = this.#byte();
    if (byte > 1) throw new Malformed('a bool is 0 or 1');
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
    if (size < 0) throw new Malformed('a size is negative');
    return size;
  }

  /** Moves past `length` bytes and says where they start. */
  #take(length: number): number {
    const start = this.#offset;
    if (length > this.#bytes.length - start) throw new Malformed('it ends too soon');
    this.#offset = start + length;
    return start;
  }
}
