import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { errorCode } from '../outbound/errors.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import { headBytes } from './identify.ts';
import type { QuotaShare } from './media-quota.ts';

const chunkBytes = 64 * 1024;

/** A replacement of the bytes from `from` to `to`. */
export interface Edit {
  from: number;
  to: number;
  by: Buffer;
}

/** Returns the size of a file with edits. */
export function editedSize(size: number, edits: readonly Edit[]): number {
  return edits.reduce((sum, { from, to, by }) => sum - (to - from) + by.length, size);
}

/**
 * Stores bytes in an unlinked temporary file. The system deletes the file when the process ends, even if the process is
 * killed. The code that opens a spool must discard it.
 */
export class Spool {
  readonly #file: FileHandle;
  readonly #share: QuotaShare;
  readonly #hash: Hash | null;
  readonly #reading = new Set<Readable>();
  #head: Buffer[] = [];
  #headSize = 0;
  #size = 0;
  #discarded: Promise<void> | undefined;

  private constructor(file: FileHandle, share: QuotaShare, hash: Hash | null) {
    this.#file = file;
    this.#share = share;
    this.#hash = hash;
  }

  /**
   * Creates a spool. Throws `unavailable` if the directory is not writable. The quota share is released with the file,
   * and also if this method throws.
   */
  static async open(folder: string, share: QuotaShare, { hashed = false } = {}): Promise<Spool> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `.media-${randomUUID()}`);
      const file = await open(path, 'wx+', 0o600);
      try {
        await unlink(path);
      } catch (error) {
        await file.close();
        throw error;
      }
      return new Spool(file, share, hashed ? createHash('sha256') : null);
    } catch (cause) {
      share.release();
      throw diskFault(cause);
    }
  }

  get size(): number {
    return this.#size;
  }

  /** The first bytes, from which the media type is detected. */
  get head(): Buffer {
    return Buffer.concat(this.#head);
  }

  /** True if `head` has all the bytes that type detection needs. */
  get knowsHead(): boolean {
    return this.#headSize >= headBytes;
  }

  /** Appends bytes. Throws `rate_limited` if the quota is exceeded, and `unavailable` if the disk is full or fails. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#share.grow(chunk.length);
    if (!this.knowsHead) {
      this.#head.push(Buffer.from(chunk.subarray(0, headBytes - this.#headSize)));
      this.#headSize += Math.min(chunk.length, headBytes - this.#headSize);
    }
    this.#hash?.update(chunk);
    try {
      for (let at = 0; at < chunk.length; ) {
        const { bytesWritten } = await this.#file.write(chunk, at, chunk.length - at, this.#size + at);
        at += bytesWritten;
      }
    } catch (cause) {
      throw diskFault(cause);
    }
    this.#size += chunk.length;
  }

  /** Returns the SHA-256 of the bytes so far. Empty if the spool was opened without `hashed`. */
  digest(): string {
    return this.#hash?.copy().digest('base64url') ?? '';
  }

  /** Reads `length` bytes from `position`, or fewer at the end of the file. */
  async read(position: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.#size - position)));
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await this.#file.read(bytes, filled, bytes.length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  }

  /** Returns a stream of the edited bytes from `from` to `to`. The edits must be in order and must not overlap. */
  open(edits: readonly Edit[] = [], from = 0, to = Number.POSITIVE_INFINITY): Readable {
    const chunks =
      edits.length === 0 ? this.#range(from, Math.min(to, this.#size)) : part(this.#chunks(edits), from, to);
    // The stream is not created by the file handle, because destroying such a stream closes the handle.
    const stream = Readable.from(chunks, { objectMode: false, highWaterMark: chunkBytes });
    this.#reading.add(stream);
    stream.once('close', () => this.#reading.delete(stream));
    return stream;
  }

  /** Ends all streams that read the spool, and deletes the file. */
  discard(): Promise<void> {
    this.#discarded ??= this.#end();
    return this.#discarded;
  }

  async *#range(from: number, to: number): AsyncGenerator<Buffer> {
    for (let at = from; at < to; at += chunkBytes) yield await this.read(at, Math.min(chunkBytes, to - at));
  }

  async *#chunks(edits: readonly Edit[]): AsyncGenerator<Buffer> {
    let next = 0;
    /** The end of the last edit. */
    let edited = 0;
    for (let at = 0; at < this.#size; at += chunkBytes) {
      const chunk = await this.read(at, chunkBytes);
      const pieces: Buffer[] = [];
      for (let edit = edits[next]; edit && edit.from < at + chunk.length; edit = edits[++next]) {
        pieces.push(chunk.subarray(Math.max(edited - at, 0), edit.from - at), edit.by);
        edited = edit.to;
      }
      pieces.push(chunk.subarray(Math.max(edited - at, 0)));
      yield Buffer.concat(pieces);
    }
  }

  async #end(): Promise<void> {
    for (const stream of this.#reading) stream.destroy();
    try {
      await this.#file.close();
    } finally {
      this.#share.release();
    }
  }
}

/** Returns the bytes from `from` to `to`. */
async function* part(chunks: AsyncIterable<Buffer>, from: number, to: number): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of chunks) {
    const wanted = chunk.subarray(Math.max(0, from - at), Math.max(0, to - at));
    if (wanted.length > 0) yield wanted;
    at += chunk.length;
    if (at >= to) return;
  }
}

function diskFault(cause: unknown): PosternError {
  const isFull = ['ENOSPC', 'EDQUOT'].includes(errorCode(cause));
  const reason = isFull ? 'the disk is full' : 'the disk cannot be written';
  return new PosternError('disk_full', `Media cannot be stored: ${reason}`, { cause });
}
