import { randomBytes } from 'node:crypto';
import { malformedField } from '../../shared/errors/fields.ts';
import type { PosternError } from '../../shared/errors/postern-error.ts';
import type { MediaKind, TakenMedia } from '../../shared/model/taken-media.ts';
import type { Vault } from '../../shared/secrets/vault.ts';
import { NotSupportedError, type PlatformState } from '../port.ts';
import { asProblem, subjectNotFound } from './problems.ts';
import type { ServerSession } from './server-session.ts';
import { type XrpcClient, XrpcError } from './xrpc.ts';

/** An uploaded blob, as a record refers to it, with the dimensions of the picture or video. */
interface StoredBlob {
  did: string;
  kind: MediaKind;
  blob: unknown;
  width: number | null;
  height: number | null;
}

/** Servers delete a blob that no record refers to after some hours. */
const storedMs = 24 * 60 * 60 * 1_000;

/**
 * Uploaded pictures and videos. A record refers to a blob by its content hash, type and size, which do not fit into an id, so they are stored under
 * the id for 24 hours.
 */
export class MediaStore {
  readonly #xrpc: XrpcClient;
  readonly #state: PlatformState;
  readonly #vault: Vault;
  readonly #now: () => number;

  constructor(parts: { xrpc: XrpcClient; state: PlatformState; vault: Vault; now: () => number }) {
    this.#xrpc = parts.xrpc;
    this.#state = parts.state;
    this.#vault = parts.vault;
    this.#now = parts.now;
  }

  /** Uploads a picture or a video and returns its id. */
  async upload(actor: ServerSession, media: TakenMedia): Promise<string> {
    if (media.kind === 'video' && media.type !== 'video/mp4') {
      throw new NotSupportedError(`The platform accepts videos of the type video/mp4, and this one is ${media.type}`);
    }
    const { did, blob } = await actor
      .withLogin(async ({ did, pds, access }) => ({
        did,
        blob: await this.#xrpc.upload({ target: pds, token: access }, actor.call, media),
      }))
      .catch((error: unknown) => {
        if (error instanceof XrpcError && error.status === 413) throw tooLarge(media);
        throw asProblem(error, null);
      });
    const id = String((BigInt(this.#now()) << 64n) | randomBytes(8).readBigUInt64BE());
    const stored: StoredBlob = { did, kind: media.kind, blob, width: media.width, height: media.height };
    const sealed = this.#vault.seal(JSON.stringify(stored), recordOf(id));
    await this.#state.write(recordOf(id), sealed, null, storedMs);
    return id;
  }

  /** Returns uploaded media. Throws `not_found` for an id that the actor has not uploaded. */
  async find(actor: ServerSession, id: string): Promise<StoredBlob> {
    const sealed = await this.#state.read(recordOf(id));
    // The secret key under which the media was stored may not be configured any more.
    const isKnown = sealed !== null && this.#vault.knows(sealed);
    const stored = isKnown ? (JSON.parse(this.#vault.open(sealed, recordOf(id))) as StoredBlob) : null;
    if (stored?.did !== (await actor.did())) throw subjectNotFound({ kind: 'Media', id });
    return stored;
  }

  /** Returns the embed of up to four pictures, or of one video. */
  async embedOf(actor: ServerSession, ids: readonly string[], altTexts: readonly string[] = []) {
    const found = await Promise.all(ids.map((id) => this.find(actor, id)));
    if (found.some(({ kind }) => kind === 'gif')) {
      throw new NotSupportedError('The network shows only the first frame of a GIF. Convert it to a video (MP4)');
    }
    const [only] = found;
    if (found.length === 1 && only?.kind === 'video') {
      const [alt] = altTexts;
      return { $type: 'app.bsky.embed.video', video: only.blob, ...(alt && { alt }), ...shapeOf(only) };
    }
    if (found.some(({ kind }) => kind === 'video')) {
      throw malformedField('media_ids', 'may be one video, or pictures, but not both');
    }
    const images = found.map((each, at) => ({ alt: altTexts[at] ?? '', image: each.blob, ...shapeOf(each) }));
    return { $type: 'app.bsky.embed.images', images };
  }
}

function shapeOf({ width, height }: StoredBlob) {
  return width && height ? { aspectRatio: { width, height } } : {};
}

function tooLarge({ size }: TakenMedia): PosternError {
  return malformedField('media', `has ${size} bytes, which is more than the server of the account accepts`);
}

const recordOf = (id: string) => `media ${id}`;
