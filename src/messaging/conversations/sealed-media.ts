import { Readable } from 'node:stream';
import type { SealedMedia } from '../../platform/messages-port.ts';
import type { TakenMedia } from '../../shared/model/taken-media.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { sealedSize, sealMedia } from '../encryption/index.ts';

/** Encrypts a file while it is uploaded. */
export function sealedMedia(file: TakenMedia, key: Uint8Array, { randomBytes }: Runtime): SealedMedia {
  const open = () => Readable.from(sealMedia(file.open(), key, randomBytes), { objectMode: false });
  return { size: sealedSize(file.size), open };
}
