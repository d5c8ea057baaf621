import { createHash } from 'node:crypto';
import { malformedField } from '../../shared/errors/fields.ts';

/**
 * A position in the notifications of an account. `listNotifications` has no cursor into the future, and the AppView may
 * list a notification late, with an older time. The position therefore contains the notifications that were read.
 */
export interface ActivityPosition {
  /** Notifications before this time count as read. The time is in milliseconds since the Unix epoch. */
  floor: number;
  /** The time of each notification since `floor` that was read, by the hash of its URI. */
  seen: ReadonlyMap<string, number>;
}

/** The overlap of two readings in milliseconds. A notification that the AppView lists with a larger delay is missed. */
export const overlapMs = 3_600_000;
const maxSeen = 1_000;

const prefix = 'n1';
const timeBytes = 6;
const hashBytes = 9;
const entryBytes = timeBytes + hashBytes;

export function hashOf(uri: string): string {
  return createHash('sha256').update(uri).digest().toString('base64url', 0, hashBytes);
}

/**
 * Returns the position after further notifications were read. Forgets notifications that are older than the overlap.
 */
export function advance(
  { floor, seen }: ActivityPosition,
  read: readonly { uri: string; at: number }[],
): ActivityPosition {
  const all = [...seen, ...read.map(({ uri, at }) => [hashOf(uri), at] as const)].sort(([, a], [, b]) => b - a);
  const newest = all[0]?.[1] ?? floor;
  const overflow = all[maxSeen]?.[1] ?? Number.NEGATIVE_INFINITY;
  const nextFloor = Math.max(floor, newest - overlapMs, overflow + 1);
  return { floor: nextFloor, seen: new Map(all.filter(([, at]) => at >= nextFloor)) };
}

export function writeCursor({ floor, seen }: ActivityPosition): string {
  const entries = Buffer.alloc(seen.size * entryBytes);
  let offset = 0;
  for (const [hash, at] of seen) {
    entries.writeUIntBE(at, offset, timeBytes);
    entries.write(hash, offset + timeBytes, 'base64url');
    offset += entryBytes;
  }
  return `${prefix}.${floor}.${entries.toString('base64url')}`;
}

/** Throws `bad_input` for any other text. */
export function readCursor(cursor: string): ActivityPosition {
  const [, floor, text] = /^n1\.(\d{1,15})\.([\w-]{0,20000})$/.exec(cursor) ?? [];
  const entries = Buffer.from(text ?? '', 'base64url');
  if (floor === undefined || entries.length % entryBytes !== 0) {
    throw malformedField('cursor', 'is not one that this platform gave');
  }
  const seen = new Map<string, number>();
  for (let offset = 0; offset < entries.length; offset += entryBytes) {
    const hash = entries.toString('base64url', offset + timeBytes, offset + entryBytes);
    seen.set(hash, entries.readUIntBE(offset, timeBytes));
  }
  return { floor: Number(floor), seen };
}
