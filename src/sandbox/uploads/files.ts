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
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';

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

  /** Moves a temporary file to its final name. */
  keep({ path }: { path: string }, name: string): void {
    const folder = this.#directory();
    renameSync(resolve(folder, path), join(folder, name));
    // A rename is durable only after the directory is fsynced.
    const handle = openSync(folder, 'r');
    fsyncSync(handle);
    closeSync(handle);
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
