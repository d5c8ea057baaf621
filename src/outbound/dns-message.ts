import ipaddr from 'ipaddr.js';

/** The types of records with addresses (RFC 1035, section 3.2.2; RFC 3596, section 2.1). */
export const recordTypes = { ipv4: 1, ipv6: 28 } as const;
/** The maximum number of addresses that are used of one name. */
export const maxAddresses = 32;
/** The size of responses over UDP that avoids IP fragments (RFC 9715, section 3.2). */
const udpBytes = 1_232;
const headerBytes = 12;
const bytesOfType: ReadonlyMap<number, number> = new Map([
  [recordTypes.ipv4, 4],
  [recordTypes.ipv6, 16],
]);

export interface DnsAnswer {
  /** The response code (RFC 1035, section 4.1.1). */
  code: number;
  isTruncated: boolean;
  addresses: readonly string[];
  /** The shortest TTL of all records, in seconds. */
  ttl: number;
}

/** Returns a query (RFC 1035, section 4.1) with EDNS (RFC 6891). `null` if the name cannot be one of a host. */
export function encodeQuery(id: Buffer, name: string, type: number): Buffer | null {
  const bare = name.replace(/\.$/, '');
  const labels = bare.split('.');
  if (bare.length > 253 || labels.some(({ length }) => length === 0 || length > 63)) return null;
  const question = labels.flatMap((label) => [Buffer.of(label.length), Buffer.from(label, 'latin1')]);
  // Recursion desired, one question, one additional record.
  const header = Buffer.of(1, 0, 0, 1, 0, 0, 0, 0, 0, 1);
  const options = Buffer.of(0, 0, 41, udpBytes >> 8, udpBytes & 255, 0, 0, 0, 0, 0, 0);
  return Buffer.concat([id, header, ...question, Buffer.of(0, 0, type, 0, 1), options]);
}

/**
 * Reads a response. Returns `null` if it does not belong to the query. Takes time for the used records only, and reads an incomplete
 * response as far as it goes. Names are skipped: the name server has followed aliases.
 */
export function readAnswer(bytes: Buffer, query: Buffer): DnsAnswer | null {
  const end = skipName(query, headerBytes) + 4;
  const isResponse = bytes.length >= end && ((bytes[2] ?? 0) & 0x80) !== 0 && bytes.readUInt16BE(4) === 1;
  if (!isResponse || bytes.readUInt16BE(0) !== query.readUInt16BE(0)) return null;
  if (questionOf(bytes, end) !== questionOf(query, end)) return null;
  const type = query.readUInt16BE(end - 4);
  const addresses: string[] = [];
  let ttl = Number.POSITIVE_INFINITY;
  let at = end;
  for (let left = bytes.readUInt16BE(6); left > 0 && addresses.length < maxAddresses; left--) {
    const record = skipName(bytes, at);
    if (record + 10 > bytes.length) break;
    const length = bytes.readUInt16BE(record + 8);
    at = record + 10 + length;
    if (at > bytes.length) break;
    ttl = Math.min(ttl, bytes.readUInt32BE(record + 4));
    if (bytes.readUInt16BE(record) !== type || length !== bytesOfType.get(type)) continue;
    addresses.push(ipaddr.fromByteArray([...bytes.subarray(record + 10, at)]).toString());
  }
  return { code: (bytes[3] ?? 0) & 15, isTruncated: ((bytes[2] ?? 0) & 2) !== 0, addresses, ttl };
}

function questionOf(message: Buffer, end: number): string {
  return message.toString('latin1', headerBytes, end).toLowerCase();
}

/** Returns the position after a name, which ends with an empty label or a pointer (RFC 1035, section 4.1.4). */
function skipName(bytes: Buffer, start: number): number {
  let at = start;
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) {
    if (length >= 0xc0) return at + 2;
    at += length + 1;
  }
  return at + 1;
}
