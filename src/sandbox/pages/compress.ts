import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Level 5 takes a millisecond for a page, and level 11 thirty. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const encoders = {
  br: (text: Buffer) => promisify(brotliCompress)(text, brotliOptions),
  gzip: (text: Buffer) => promisify(gzip)(text),
};

/** Returns text in the best encoding that the request accepts, and the headers that say so. */
export async function compress(
  text: Buffer,
  { headers }: IncomingMessage,
): Promise<{ body: Buffer; headers: Record<string, string> }> {
  const vary = 'accept-encoding';
  const accepted = namedIn(headers['accept-encoding']);
  const encoding = (['br', 'gzip'] as const).find((name) => accepted.has(name));
  if (encoding === undefined) return { body: text, headers: { vary } };
  return { body: await encoders[encoding](text), headers: { vary, 'content-encoding': encoding } };
}

/** Returns the encodings that the header names, without those that it refuses (`q=0`). */
function namedIn(header: string | string[] = ''): ReadonlySet<string> {
  const parts = String(header).toLowerCase().split(',');
  return new Set(
    parts.filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part)).map((part) => part.replace(/;.*/, '').trim()),
  );
}
