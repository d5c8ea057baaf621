import { writeFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Quality 11 makes files a tenth smaller, and takes half a minute for all pages. `npm run build -- --small` sets it. */
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
