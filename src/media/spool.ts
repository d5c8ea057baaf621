import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { PosternError } from '../shared/errors/postern-error.ts';
import { YoungGarbage } from '../shared/runtime/young-garbage.ts';
import { headBytes } from './identify.ts';
import type { QuotaShare } from './media-quota.ts';

const chunkBytes = 64 * 1024;
/** One for all spools, so that many small spools count too. */
const garbage = new YoungGarbage();

/**
 * Bytes on disk without a name: the file is unlinked as soon as it is open, so that nothing is left of it however the
 * process ends. Whoever opens one discards it.
 */
export class Spool {
  readonly #file: FileHandle;
  readonly #place: QuotaShare;
  readonly #hash: Hash | null;
  readonly #reading = new Set<Readable>();
  #head: Buffer[] = [];
  #headSize = 0;
  #size = 0;
  #discarded: Promise<void> | undefined;

  private constructor(file: FileHandle, place: QuotaShare, hash: Hash | null) {
    this.#file = file;
    this.#place = place;
    this.#hash = hash;
  }

  /** Throws `unavailable` where the folder cannot be written. The place is left with the file, or at once where that fails. */
  static async open(folder: string, place: QuotaShare, { hashed = false } = {}): Promise<Spool> {
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
      return new Spool(file, place, hashed ? createHash('sha256') : null);
    } catch (cause) {
      place.release();
      throw diskFault(cause);
    }
  }

  get size(): number {
    return this.#size;
  }

  /** The first bytes, as many as tell what it is. */
  get head(): Buffer {
    return Buffer.concat(this.#head);
  }

  /** Whether `head` has all that it will have. */
  get knowsHead(): boolean {
    return this.#headSize >= headBytes;
  }

  /** Throws `rate_limited` if the quota is used up, and `unavailable` if the disk is full. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#place.grow(chunk.length);
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
    garbage.passed(chunk.length);
  }

  /** SHA-256 of the bytes so far, of a spool that was opened to be hashed. */
  digest(): string {
    return this.#hash?.copy().digest('base64url') ?? '';
  }

  /** Up to `length` bytes from a place on; fewer at the end. */
  async read(position: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.#size - position)));
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await this.#file.read(bytes, filled, bytes.length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    garbage.passed(filled);
    return bytes.subarray(0, filled);
  }

  open(): Readable {
    // A stream of the handle's own would close it when it is destroyed.
    const stream = Readable.from(this.#chunks(), { objectMode: false, highWaterMark: chunkBytes });
    this.#reading.add(stream);
    stream.once('close', () => this.#reading.delete(stream));
    return stream;
  }

  /** Ends what still reads it. */
  discard(): Promise<void> {
    this.#discarded ??= this.#end();
    return this.#discarded;
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < this.#size; at += chunkBytes) yield await this.read(at, chunkBytes);
  }

  async #end(): Promise<void> {
    for (const stream of this.#reading) stream.destroy();
    try {
      await this.#file.close();
    } finally {
      this.#place.release();
    }
  }
}

function diskFault(cause: unknown): PosternError {
  return new PosternError('disk_full', 'Media cannot be kept while it is checked: the disk takes no more', { cause });
}
