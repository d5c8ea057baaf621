import { crc32 } from 'node:zlib';

/*
 * A file format for named columns of numbers and bytes: the CRC-32 of all that follows it, the length of the header, a
 * JSON header, then the columns, each aligned to eight bytes. Numbers of columns have the byte order of the machine that
 * wrote the file, which the header records.
 */

const types = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array };
type Types = typeof types;
type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

interface Place {
  readonly type: keyof Types;
  readonly offset: number;
  readonly length: number;
}

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const alignment = 8;
/** The position of the header, after the checksum and the length of the header. */
const headerStart = 8;

/** Writes a file of columns. `about` is a small value that can be read without reading the columns. */
export function packColumns(about: unknown, columns: Readonly<Record<string, Column>>): Buffer {
  const places: Record<string, Place> = {};
  let offset = 0;
  for (const [name, column] of Object.entries(columns)) {
    places[name] = { type: typeOf(column), offset, length: column.length };
    offset = aligned(offset + column.byteLength);
  }
  const header = Buffer.from(JSON.stringify({ littleEndian, places, about }));
  const start = aligned(headerStart + header.length);
  const bytes = Buffer.alloc(start + offset);
  bytes.writeUInt32LE(header.length, 4);
  header.copy(bytes, headerStart);
  for (const [name, column] of Object.entries(columns)) {
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), start + (places[name]?.offset ?? 0));
  }
  bytes.writeUInt32LE(checksumOf(bytes));
  return bytes;
}

/**
 * Reads a file that `packColumns` wrote. The columns share the memory of the file. Returns `undefined` if the file is
 * damaged or has the other byte order.
 */
export function unpackColumns(
  packed: Buffer,
): { about: unknown; column: <T extends Column>(name: string) => T } | undefined {
  // Typed arrays must be aligned to their element size. A Buffer from Node's pool is not, so it is copied.
  const bytes = packed.byteOffset % alignment === 0 ? packed : Buffer.from(new Uint8Array(packed).buffer);
  if (bytes.length < headerStart || bytes.readUInt32LE() !== checksumOf(bytes)) return undefined;
  const length = bytes.readUInt32LE(4);
  const header = JSON.parse(bytes.toString('utf8', headerStart, headerStart + length)) as {
    littleEndian: boolean;
    places: Record<string, Place>;
    about: unknown;
  };
  if (header.littleEndian !== littleEndian) return undefined;
  const start = bytes.byteOffset + aligned(headerStart + length);
  return {
    about: header.about,
    column: <T extends Column>(name: string) => {
      const place = header.places[name];
      if (place === undefined) throw new Error(`the snapshot has no column ${name}`);
      return new types[place.type](bytes.buffer as ArrayBuffer, start + place.offset, place.length) as T;
    },
  };
}

function checksumOf(bytes: Buffer): number {
  return crc32(bytes.subarray(4));
}

function typeOf(column: Column): keyof Types {
  const [type] = Object.entries(types).find(([, each]) => column instanceof each) ?? [];
  return type as keyof Types;
}

function aligned(offset: number): number {
  return Math.ceil(offset / alignment) * alignment;
}
