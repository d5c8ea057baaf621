import type { TakenMedia } from '../../shared/model/taken-media.ts';
import { id, object } from '../http/wire.ts';
import type { PlatformCall, PlatformMedia } from '../port.ts';
import type { SandboxClient } from './client.ts';

/** The media operations of the sandbox platform on behalf of one actor. */
export class SandboxMedia implements PlatformMedia {
  readonly #client: SandboxClient;
  readonly #call: PlatformCall;

  constructor(client: SandboxClient, call: PlatformCall) {
    this.#client = client;
    this.#call = call;
  }

  upload(media: TakenMedia): Promise<string> {
    const query = new URLSearchParams();
    if (media.width !== null) query.set('width', String(media.width));
    if (media.height !== null) query.set('height', String(media.height));
    if (media.durationMs !== null) query.set('duration_ms', String(media.durationMs));
    return this.#client.send(
      { operation: 'uploadMedia', method: 'POST', path: `/api/media?${query}`, bytes: media },
      this.#call,
      (body) => id(object(body.media, 'media').id, 'id'),
    );
  }
}
