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
import { open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { YoungGarbage } from '../../shared/runtime/young-garbage.ts';
import { Problem } from '../http/problem.ts';

const HEAD_BYTES = 64;
const garbage = new YoungGarbage();

/** Bytes of a request that are on disk, fsynced, and belong to nothing yet. */
export interface Received {
  readonly path: string;
  readonly size: number;
  readonly head: Buffer;
}

/** Keeps the bytes of uploads, in a folder of the sandbox's own; without one, in one that goes with it. */
export class UploadFiles {
  readonly #isKept: boolean;
  #folder: string | null;

  constructor(folder: string | null) {
    this.#isKept = folder !== null;
    this.#folder = folder;
    if (folder !== null) mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Reads the body of a request to its end. Throws a `Problem` where it is larger than that, or ends early. */
  async receive(request: IncomingMessage, mostBytes: number): Promise<Received> {
    const path = join(this.#made(), `.part-${randomUUID()}`);
    const file = await open(path, 'wx', 0o600);
    const head: Buffer[] = [];
    let size = 0;
    try {
      // To end it at an error would cut the connection, and lose the answer on its way.
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (size < HEAD_BYTES) head.push(chunk.subarray(0, HEAD_BYTES));
        size += chunk.length;
        if (size > mostBytes) throw tooLarge(mostBytes);
        await file.writeFile(chunk);
        garbage.passed(chunk.length);
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

  /** Gives it its name, for good. */
  keep({ path }: Received, name: string): void {
    const folder = this.#made();
    renameSync(path, join(folder, name));
    // The name is in the folder, which has its own way to the disk.
    const handle = openSync(folder, 'r');
    fsyncSync(handle);
    closeSync(handle);
  }

  async drop({ path }: Received): Promise<void> {
    await rm(path, { force: true });
  }

  sizeOf(name: string): number | undefined {
    return this.#folder === null ? undefined : statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size;
  }

  /** From the first of these bytes to the last, both of them included. */
  read(name: string, start: number, end: number): Readable {
    return createReadStream(join(this.#made(), name), { start, end });
  }

  remove(names: Iterable<string>): void {
    if (this.#folder === null) return;
    for (const name of names) rmSync(join(this.#folder, name), { force: true });
  }

  /** Removes what no upload has the name of: what came in as the last process ended. */
  removeOthers(names: ReadonlySet<string>): void {
    if (this.#folder === null) return;
    this.remove(readdirSync(this.#folder).filter((name) => !names.has(name)));
  }

  close(): void {
    if (!this.#isKept && this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
  }

  #made(): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'postern-sandbox-'));
    return this.#folder;
  }
}

function tooLarge(mostBytes: number): Problem {
  return new Problem(413, 'media_refused', `It is larger than ${mostBytes} bytes`);
}
