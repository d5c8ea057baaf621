/**
 * The fields of a record, as Juicebox's `Register2` names them, and their lengths in bytes. A stored record is their
 * concatenation.
 */
const lengths = {
  version: 16,
  oprf_private_key: 32,
  public_key: 32,
  verifying_key: 32,
  signature: 64,
  unlock_key_commitment: 32,
  unlock_key_tag: 16,
  encryption_key_scalar_share: 32,
  encrypted_secret: 145,
  encrypted_secret_commitment: 16,
} as const;

type Field = keyof typeof lengths;
const names = Object.keys(lengths) as Field[];

/**
 * The data of one account at one key realm. Any two of the three realms can return the secret, and one realm alone
 * learns nothing about the secret or the PIN.
 */
export type RealmRecord = Readonly<Record<Field, Uint8Array>>;

function recordOf(read: (name: Field, length: number) => Uint8Array): RealmRecord {
  return Object.fromEntries(names.map((name) => [name, read(name, lengths[name])])) as Record<Field, Uint8Array>;
}

export function packRecord(record: RealmRecord): Buffer {
  return Buffer.concat(names.map((name) => record[name]));
}

export function unpackRecord(packed: Uint8Array): RealmRecord {
  let at = 0;
  return recordOf((_name, length) => {
    at += length;
    return Uint8Array.from(packed.subarray(at - length, at));
  });
}

/** Reads the fields of a `Register2`. Throws if one is missing or has another length. */
export function readRecord(fields: Fields): RealmRecord {
  const signed = fields['oprf_signed_public_key'];
  const all = { ...fields, ...(typeof signed === 'object' && signed) } as Fields;
  return recordOf((name, length) => bytesOf(all, name, length));
}

/** A decoded CBOR map. */
export type Fields = Readonly<Record<string, unknown>>;

/** Reads a byte string. Juicebox's own realms accept an array of integers too. */
export function bytesOf(fields: Fields, name: string, length: number): Uint8Array {
  const value = fields[name];
  const bytes = Array.isArray(value) ? Uint8Array.from(value) : value;
  if (!(bytes instanceof Uint8Array) || bytes.length !== length) throw new Error(`${name} is not ${length} bytes`);
  return bytes;
}
