import { Readable } from 'node:stream';
import type { SealedMedia } from '../../platform/messages-port.ts';
import type { TakenMedia } from '../../shared/model/taken-media.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { MediaHash, sealedSize, sealMedia } from '../encryption/index.ts';

/** Encrypts a file while it is uploaded. `hashKey` returns the hash of the bytes that the last upload attempt read. */
export function sealedMedia(
  file: TakenMedia,
  key: Uint8Array,
  runtime: Runtime,
): { media: SealedMedia; hashKey: () => string } {
  let hash = new MediaHash();
  const open = () => {
    const own = new MediaHash();
    hash = own;
    return Readable.from(hashed(sealMedia(file.open(), key, runtime.randomBytes), own), { objectMode: false });
  };
  return { media: { size: sealedSize(file.size), open }, hashKey: () => hash.key() };
}

async function* hashed(sealed: AsyncIterable<Uint8Array>, hash: MediaHash): AsyncGenerator<Uint8Array> {
  for await (const chunk of sealed) {
    hash.update(chunk);
    yield chunk;
  }
}
