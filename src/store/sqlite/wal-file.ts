import { readFileSync } from 'node:fs';

const headerBytes = 32;
const frameHeaderBytes = 24;
/** The last bit of the number determines the byte order of the checksums. */
const magic = 0x377f0682;
const usualPageBytes = 4096;

interface Sum {
  a: number;
  b: number;
}

/**
 * Returns true if a write-ahead log contains acknowledged commits after a damaged frame. SQLite reads a log up to the first invalid frame
 * and ignores the rest (https://sqlite.org/fileformat.html#the_write_ahead_log). After a power failure this is correct, because only the
 * last transaction can be incomplete: each was on disk before the next one began. But a commit that is followed by another transaction in
 * the same chain of checksums was acknowledged and must not be lost.
 */
export function losesCommits(path: string): boolean {
  // The log is read three times, because a concurrent write of another process can look like damage once.
  for (let look = 0; look < 3; look++) if (!hasCommitBehindDamage(read(path))) return false;
  return true;
}

function hasCommitBehindDamage(log: Buffer): boolean {
  const header = readHeader(log);
  let damaged = !header.whole;
  let sum = header.sum;
  let behindCommit = false;
  for (let at = headerBytes; at + frameHeaderBytes + header.pageBytes <= log.length; ) {
    const end = at + frameHeaderBytes + header.pageBytes;
    // Frames of an earlier use of the log that were not overwritten yet have other salts.
    const current = log.compare(header.salts, 0, 8, at + 8, at + 16) === 0 && log.readUInt32BE(at) !== 0;
    const stored = readSum(log, at + 16);
    const chained = current && isSame(header.add(header.add(sum, at, at + 8), at + frameHeaderBytes, end), stored);
    if (damaged && behindCommit && chained) return true;
    if (!chained) damaged = true;
    behindCommit = current && log.readUInt32BE(at + 4) !== 0;
    sum = stored;
    at = end;
  }
  return false;
}

function readHeader(log: Buffer) {
  const empty = Buffer.alloc(0);
  const none = { whole: true, pageBytes: Number.POSITIVE_INFINITY, salts: empty, sum: { a: 0, b: 0 }, add: adder(log) };
  if (log.length <= headerBytes + frameHeaderBytes) return none;
  const start = log.readUInt32BE(0);
  const add = adder(log, (start & 1) === 1);
  const sum = readSum(log, 24);
  const whole = (start & ~1) === magic && isSame(add({ a: 0, b: 0 }, 0, 24), sum);
  if (whole) return { whole, pageBytes: log.readUInt32BE(8), salts: log.subarray(16, 24), sum, add };
  const salts = log.subarray(headerBytes + 8, headerBytes + 16);
  return { whole, pageBytes: usualPageBytes, salts, sum, add: adder(log) };
}

/** Returns a function that adds the words between `from` and `to` to a checksum. */
function adder(log: Buffer, bigEndian = false) {
  // The bytes are copied, because a typed array of words needs an aligned buffer.
  const bytes = Uint8Array.from(log.subarray(0, log.length - (log.length % 4)));
  if (bigEndian) Buffer.from(bytes.buffer).swap32();
  const words = new Uint32Array(bytes.buffer);
  return ({ a, b }: Sum, from: number, to: number): Sum => {
    for (let at = from / 4; at < to / 4; at += 2) {
      a = (a + (words[at] ?? 0) + b) >>> 0;
      b = (b + (words[at + 1] ?? 0) + a) >>> 0;
    }
    return { a, b };
  };
}

function readSum(log: Buffer, at: number): Sum {
  return { a: log.readUInt32BE(at), b: log.readUInt32BE(at + 4) };
}

function isSame(one: Sum, other: Sum): boolean {
  return one.a === other.a && one.b === other.b;
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    // The last process that had the database open has just deleted the file.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
