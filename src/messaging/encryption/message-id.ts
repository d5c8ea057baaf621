import type { RandomBytes } from './p256.ts';

/** A random UUID (RFC 9562, section 5.4), as the official SDK (0.4.3) names events. */
export function newMessageId(randomBytes: RandomBytes): string {
  const bytes = Buffer.from(randomBytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
