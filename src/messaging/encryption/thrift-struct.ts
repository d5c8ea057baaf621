import { fromUtf8, MalformedError } from './encoding.ts';

export type ThriftValue = boolean | number | bigint | Uint8Array | ThriftStruct | readonly ThriftValue[];

export interface Field {
  type: number;
  /** The element type of a list or set. */
  elementType: number;
  value: ThriftValue;
}

/**
 * A decoded struct of the Thrift binary protocol
 * (https://github.com/apache/thrift/blob/master/doc/specs/thrift-binary-protocol.md). Unknown fields are ignored, so
 * that events of newer clients can be read. Reading a field with another type than expected throws `MalformedError`.
 */
export class ThriftStruct {
  readonly #fields: ReadonlyMap<number, Field>;

  constructor(fields: ReadonlyMap<number, Field>) {
    this.#fields = fields;
  }

  /** The id of the only field that is set, for a union. */
  get variant(): number {
    const [only, another] = this.#fields.keys();
    if (only === undefined || another !== undefined) throw new MalformedError('a union has one field');
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

  #list(id: number, elementType: number): readonly ThriftValue[] {
    const field = this.#get(id, thriftTypes.list);
    if (field === undefined || !Array.isArray(field.value)) return [];
    if (field.elementType !== elementType && field.value.length > 0)
      throw new MalformedError(`list ${id} has other elements`);
    return field.value;
  }

  #get(id: number, type: number): Field | undefined {
    const field = this.#fields.get(id);
    if (field !== undefined && field.type !== type) throw new MalformedError(`field ${id} has another type`);
    return field;
  }
}

/** Type ids of the Thrift binary protocol (section "Struct" of the specification above). */
export const thriftTypes = {
  stop: 0,
  bool: 2,
  i8: 3,
  double: 4,
  i16: 6,
  i32: 8,
  i64: 10,
  string: 11,
  struct: 12,
  map: 13,
  set: 14,
  list: 15,
  uuid: 16,
} as const;
