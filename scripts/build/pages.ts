import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type InputOptions, type OutputChunk, rolldown } from 'rolldown';
import { licences } from './licences.ts';
import { root } from './outputs.ts';

/** The quality of brotli. 11 makes files a tenth smaller, but takes half a minute for all pages. `npm run build -- --small` uses it. */
const quality = { fast: 5, small: 11 };
let chosen = quality.fast;

export function compressAsFarAsPossible(): void {
  chosen = quality.small;
}

/** Writes a file, and its content as brotli (`.br`) and gzip (`.gz`) beside it. */
export function writeCompressed(path: string, content: string | Buffer): void {
  writeFileSync(path, content);
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: chosen } }));
  writeFileSync(`${path}.gz`, gzipSync(content));
}

/** Bundles a program for browsers. Returns its files, whose names contain the hash of their content, and the name of the entry. */
export async function bundleForBrowser(options: InputOptions): Promise<{ chunks: OutputChunk[]; entry: string }> {
  const bundle = await rolldown({
    ...options,
    cwd: root,
    platform: 'browser',
    // Browsers ignore directives such as "use client".
    onLog: (level, log, handle) => {
      if (log.code === 'UNRESOLVED_IMPORT') handle('error', log);
      else if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
    },
  });
  const name = '[name]-[hash].js';
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    comments: { legal: false },
    entryFileNames: name,
    chunkFileNames: name,
  });
  await bundle.close();
  const chunks = output.filter((rendered) => rendered.type === 'chunk');
  return { chunks, entry: chunks.find((chunk) => chunk.isEntry)?.fileName ?? '' };
}

/** The files of a page. */
export class PageFiles {
  readonly #files = new Map<string, string | Buffer>();
  readonly #chunks: readonly OutputChunk[];

  constructor(chunks: readonly OutputChunk[]) {
    this.#chunks = chunks;
    for (const { fileName, code } of chunks) this.#files.set(fileName, code);
  }

  /** Adds a file. Returns its name, which contains the hash of its content. */
  add(name: string, type: string, content: string | Buffer): string {
    const hashed = `${name}-${createHash('sha256').update(content).digest('base64url').slice(0, 8)}.${type}`;
    this.#files.set(hashed, content);
    return hashed;
  }

  /** Replaces a folder of dist/. Another process may do the same at the same time. */
  write(name: string, manifest: object): void {
    const folder = join(root, 'dist', name);
    const made = `${folder}-${process.pid}`;
    mkdirSync(made, { recursive: true });
    for (const [file, content] of this.#files) writeCompressed(join(made, file), content);
    writeFileSync(join(made, 'LICENSES.txt'), licences(this.#chunks));
    const files = [...this.#files.keys()];
    writeFileSync(join(made, 'manifest.json'), JSON.stringify({ ...manifest, files }, null, 2));
    rmSync(folder, { recursive: true, force: true });
    try {
      renameSync(made, folder);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error) || !['ENOTEMPTY', 'EEXIST'].includes(String(error.code)))
        throw error;
      rmSync(made, { recursive: true });
    }
  }
}
