import { randomUUID } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { Problem } from '../http/problem.ts';

const HEAD_BYTES = 64;

/** A request body that was written to a temporary file and fsynced. */
export interface ReceivedBody {
  readonly path: string;
  readonly size: number;
  readonly head: Buffer;
}

/** Stores uploaded files in a directory. Without a directory, it uses a temporary one and deletes it on close. */
export class UploadFiles {
  readonly #isKept: boolean;
  #folder: string | null;

  constructor(folder: string | null) {
    this.#isKept = folder !== null;
    this.#folder = folder;
    if (folder !== null) mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Reads a request body into a temporary file. Throws a `Problem` if the body is larger than `maxBytes` or ends
   * early.
   */
  async receive(request: IncomingMessage, maxBytes: number): Promise<ReceivedBody> {
    const path = join(this.#directory(), `.part-${randomUUID()}`);
    const file = await open(path, 'wx', 0o600);
    const head: Buffer[] = [];
    let size = 0;
    try {
      // Leaving the loop must not destroy the request, because that closes the connection before the error response is
      // sent.
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (size < HEAD_BYTES) head.push(chunk.subarray(0, HEAD_BYTES));
        size += chunk.length;
        if (size > maxBytes) throw tooLarge(maxBytes);
        await file.writeFile(chunk);
      }
      await file.sync();
    } catch (error) {
      request.resume();
      await rm(path, { force: true });
      if (error instanceof Problem || request.complete) throw error;
      throw new Problem(400, 'bad_request', 'The body ended early', { field: 'body' });
    } finally {
      await file.close();
    }
    return { path, size, head: Buffer.concat(head) };
  }

  /**
   * Appends bytes to a temporary file of `size` bytes, which is created for the first ones, and fsyncs it. Drops bytes
   * that a failed append left behind.
   */
  async append(name: string, size: number, bytes: Buffer): Promise<void> {
    const file = await open(join(this.#directory(), name), 'a', 0o600);
    try {
      await file.truncate(size);
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Calls `use` with an open file. */
  async with<T>(name: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
    const file = await open(join(this.#directory(), name));
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  }

  /** Moves a received file to its final name. */
  keep({ path }: Pick<ReceivedBody, 'path'>, name: string): void {
    const folder = this.#directory();
    renameSync(resolve(folder, path), join(folder, name));
    // A rename is durable only after the directory is fsynced.
    const handle = openSync(folder, 'r');
    fsyncSync(handle);
    closeSync(handle);
  }

  async drop({ path }: ReceivedBody): Promise<void> {
    await rm(path, { force: true });
  }

  sizeOf(name: string): number | undefined {
    return this.#folder === null ? undefined : statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size;
  }

  /** Reads bytes from `start` to `end`, both inclusive. */
  read(name: string, start: number, end: number): Readable {
    return createReadStream(join(this.#directory(), name), { start, end });
  }

  remove(names: Iterable<string>): void {
    if (this.#folder === null) return;
    for (const name of names) rmSync(join(this.#folder, name), { force: true });
  }

  /** Removes all files except those in `names`, such as temporary files that a crash left behind. */
  removeOthers(names: ReadonlySet<string>): void {
    if (this.#folder === null) return;
    this.remove(readdirSync(this.#folder).filter((name) => !names.has(name)));
  }

  close(): void {
    if (!this.#isKept && this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
  }

  #directory(): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'postern-sandbox-'));
    return this.#folder;
  }
}

function tooLarge(maxBytes: number): Problem {
  return new Problem(413, 'media_refused', `The media is larger than ${maxBytes} bytes`);
}
