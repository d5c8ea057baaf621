import type { Readable } from 'node:stream';
import type { MediaLimits } from '../platform/capabilities.ts';
import { NotSupportedError } from '../platform/port.ts';
import type { TakenMedia } from '../shared/model/taken-media.ts';
import type { Semaphore } from '../shared/runtime/semaphore.ts';
import { type Identity, identify, type TypeClaim } from './identify.ts';
import { inspectImage, metadataEdits } from './inspect-image.ts';
import { inspectSvg } from './inspect-svg.ts';
import { inspectVideo } from './inspect-video.ts';
import { MediaError } from './media-error.ts';
import type { MediaSource, UploadRules } from './media-uploader.ts';
import { pictureFormat } from './picture-parts.ts';
import { type Edit, editedSize, type Spool } from './spool.ts';

/**
 * Reads one media file into a spool. The type is detected as soon as enough bytes have arrived, so that a file of a
 * wrong type is refused early. Otherwise up to 512 MiB would be received for nothing.
 */
export class MediaReader {
  readonly #spool: Spool;
  readonly #claims: readonly TypeClaim[];
  readonly #rules: UploadRules;
  readonly #largest: MediaLimits;
  #identity: Identity | undefined;

  constructor(spool: Spool, claims: readonly TypeClaim[], rules: UploadRules, largest: MediaLimits) {
    this.#spool = spool;
    this.#claims = claims;
    this.#rules = rules;
    this.#largest = largest;
  }

  /** Writes the bytes to the spool. Throws `MediaError`. */
  async fill(body: Readable | readonly Uint8Array[], received: (bytes: number) => void = () => {}): Promise<void> {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      received(chunk.length);
      await this.#spool.write(chunk);
      if (this.#spool.knowsHead) await this.#identify();
    }
  }

  /**
   * Inspects the complete file. If `owned` is true, discarding the result also discards the spool. Throws `MediaError`.
   */
  async finish(imageTurns: Semaphore, owned: boolean): Promise<TakenMedia> {
    const identity = await this.#identify();
    const spool = this.#spool;
    const { edits: found = [], ...facts } = await inspect(spool, identity, imageTurns, this.#rules);
    const edits = this.#rules.keepMetadata ? [] : found;
    return {
      ...identity,
      ...facts,
      size: editedSize(spool.size, edits),
      open: (from, to) => spool.open(edits, from, to),
      discard: async () => {
        if (owned) await spool.discard();
      },
    };
  }

  async #identify(): Promise<Identity> {
    this.#identity ??= await identify(this.#spool.head, this.#claims, this.#rules.kinds);
    const { kind, type } = this.#identity;
    const largest = this.#largest[kind];
    if (largest === undefined) {
      throw new NotSupportedError(
        `The platform accepts no media of the kind ${kind}, only ${Object.keys(this.#largest).join(', ')}`,
      );
    }
    if (this.#spool.size <= largest) return this.#identity;
    throw new MediaError(`is too large: the limit for ${type} is ${describeSize(largest)}`);
  }
}

function describeSize(bytes: number): string {
  return bytes % MiB === 0 ? `${bytes / MiB} MiB` : `${bytes / 1_000_000} MB`;
}

const MiB = 1024 * 1024;
const noFacts = { width: null, height: null, durationMs: null };

interface Facts extends Pick<TakenMedia, 'width' | 'height' | 'durationMs'> {
  /** The edits that remove metadata. */
  edits?: readonly Edit[];
}

async function inspect(
  spool: Spool,
  { kind }: Identity,
  imageTurns: Semaphore,
  { keepMetadata }: UploadRules,
): Promise<Facts> {
  if (kind === 'video') return inspectVideo(spool);
  const inMemory = <T>(use: (bytes: Buffer) => Promise<T>) =>
    imageTurns.run(async () => use(await spool.read(0, spool.size)));
  if (kind === 'photo' || kind === 'gif') return { ...noFacts, ...(await inMemory(inspectImage)) };
  if (kind === 'svg') return { ...noFacts, ...(await inspectSvg(spool)) };
  if (keepMetadata || !pictureFormat(spool.head)) return noFacts;
  return { ...noFacts, edits: await inMemory(metadataEdits) };
}

/** Returns the types claimed by the caller and by the source of the file. */
export function claimsOf(
  source: MediaSource,
  found: { type: string | null; by: string; ofServer: boolean },
): TypeClaim[] {
  const declared = 'url' in source ? (source.declaredType ?? null) : source.declaredType;
  return [
    ...(declared === null ? [] : [{ type: declared, by: 'the type given beside it', ofServer: false }]),
    ...(found.type === null ? [] : [{ type: found.type, by: found.by, ofServer: found.ofServer }]),
  ];
}
