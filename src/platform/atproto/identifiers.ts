import { createHash } from 'node:crypto';

/**
 * Converts between identifiers of the AT Protocol and numeric ids:
 *
 *     user    author (121 bits)
 *     record  TID (64 bits) · author (121 bits), or hash (121 bits) if the record key is not a TID
 *
 * The author is the 120 bits of a `did:plc`. Other DIDs, and records whose key is not a TID, do not fit into an id. Their
 * id contains a hash of 119 bits with bit 120 set, and the identifier must be looked up by that hash. Ids of records sort
 * by time, because the TID is in the high bits. The collection of a record is not part of its id, because every operation
 * of the platform port knows the collection.
 */
const plcBits = 120n;
const authorBits = plcBits + 1n;
const hashFlag = 1n << plcBits;

/** The alphabet of `did:plc`: base32 of RFC 4648 in lower case. */
const base32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** The alphabet of TIDs (https://atproto.com/specs/tid). */
const base32Sortable = '234567abcdefghijklmnopqrstuvwxyz';

const plcPattern = /^did:plc:([a-z2-7]{24})$/;
const tidPattern = /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/;
const didPattern = /^did:[a-z]+:[a-zA-Z0-9._:%-]{1,2000}$/;
const uriPattern = /^at:\/\/(did:[a-z]+:[a-zA-Z0-9._:%-]{1,2000})\/([a-zA-Z0-9.-]{1,317})\/([a-zA-Z0-9._:~-]{1,512})$/;
const idPattern = /^(?:0|[1-9]\d{0,63})$/;

/** An identifier that does not fit into an id, and the hash that the id contains instead. */
export interface HashedIdentifier {
  readonly hash: string;
  readonly identifier: string;
}

/** A numeric id. If `hashed` is not null, it must be stored, because the id cannot be decoded without it. */
export interface EncodedId {
  readonly id: string;
  readonly hashed: HashedIdentifier | null;
}

/** The result of decoding an id: an identifier, or a hash by which the identifier must be looked up. */
export type DecodedIdentifier<Identifier> = { readonly identifier: Identifier } | { readonly hash: string };

export interface RecordName {
  readonly did: string;
  readonly collection: string;
  readonly key: string;
}

/** Returns the numeric id of a user, or `null` if `did` is not a DID. */
export function encodeDid(did: string): EncodedId | null {
  const plc = plcPattern.exec(did)?.[1];
  if (plc !== undefined) return { id: String(numberOf(plc, base32)), hashed: null };
  return didPattern.test(did) ? encodeHash(did) : null;
}

/** Returns the numeric id of a record, or `null` if `uri` is not the at:// URI of a record. */
export function encodeRecordUri(uri: string): EncodedId | null {
  const name = parseRecordUri(uri);
  if (!name) return null;
  const tid = tidPattern.test(name.key) ? numberOf(name.key, base32Sortable) : 0n;
  // An id with a TID of 0 would equal the id of the author.
  if (tid === 0n) return encodeHash(uri);
  const author = encodeDid(name.did);
  return author && { id: String((tid << authorBits) | BigInt(author.id)), hashed: author.hashed };
}

/** Returns the DID of a user id, or the hash in it. Returns `null` if `id` is not the id of a user. */
export function decodeUserId(id: string): DecodedIdentifier<string> | null {
  const author = numberOfId(id);
  return author === null || author >> authorBits !== 0n ? null : decodeAuthor(author);
}

/**
 * Returns the at:// URI of a record id in the collection, or the hash in the id. Returns `null` if `id` is not the id of a
 * record. The hash is that of the author's DID or of the record's URI. Pass the identifier found by the hash to
 * `recordOfHash`.
 */
export function decodeRecordId(id: string, collection: string): DecodedIdentifier<string> | null {
  const number = numberOfId(id);
  if (number === null) return null;
  const key = tidOf(number);
  const author = number & ((1n << authorBits) - 1n);
  if (key === null || (number >> authorBits === 0n && author < hashFlag)) return null;
  const decoded = decodeAuthor(author);
  return 'hash' in decoded ? decoded : { identifier: `at://${decoded.identifier}/${collection}/${key}` };
}

/**
 * Returns the URI of the record whose id contains the hash of `identifier`. Returns `null` if `id` is not the id of a
 * record.
 */
export function recordOfHash(id: string, collection: string, identifier: string): string | null {
  const number = numberOfId(id);
  if (number === null) return null;
  if (number >> authorBits === 0n) return parseRecordUri(identifier)?.collection === collection ? identifier : null;
  return didPattern.test(identifier) ? `at://${identifier}/${collection}/${tidOf(number)}` : null;
}

export function parseRecordUri(uri: string): RecordName | null {
  const [, did, collection, key] = uriPattern.exec(uri) ?? [];
  return did === undefined || collection === undefined || key === undefined ? null : { did, collection, key };
}

/** Returns the TID of a time in microseconds since the Unix epoch. `clockId` has 10 bits. */
export function tidAt(micros: bigint, clockId: number): string {
  return textOf((micros << 10n) | BigInt(clockId), base32Sortable, 13);
}

/** Returns the time of a TID in milliseconds since the Unix epoch, or `null` if `key` is not a TID. */
export function timeOfTid(key: string): number | null {
  return tidPattern.test(key) ? Number((numberOf(key, base32Sortable) >> 10n) / 1_000n) : null;
}

function encodeHash(identifier: string): EncodedId {
  const digest = createHash('sha256').update(identifier).digest('hex');
  const hash = String(hashFlag | (BigInt(`0x${digest}`) & ((1n << (plcBits - 1n)) - 1n)));
  return { id: hash, hashed: { hash, identifier } };
}

function decodeAuthor(author: bigint): DecodedIdentifier<string> {
  if (author >= hashFlag) return { hash: String(author) };
  return { identifier: `did:plc:${textOf(author, base32, 24)}` };
}

function numberOfId(id: string): bigint | null {
  return idPattern.test(id) ? BigInt(id) : null;
}

/** Returns the TID in the high bits of a record id, or `null` if the number is too large. */
function tidOf(number: bigint): string | null {
  const tid = number >> authorBits;
  return tid >> 64n === 0n ? textOf(tid, base32Sortable, 13) : null;
}

function numberOf(text: string, alphabet: string): bigint {
  let number = 0n;
  for (const letter of text) number = (number << 5n) | BigInt(alphabet.indexOf(letter));
  return number;
}

function textOf(number: bigint, alphabet: string, length: number): string {
  let text = '';
  for (let rest = number; text.length < length; rest >>= 5n) text = alphabet.charAt(Number(rest & 31n)) + text;
  return text;
}
