import { badRequest, notFound } from '../refusal.ts';
import type { Format } from '../uploads/formats.ts';
import type { Segments } from '../uploads/segments.ts';
import { compareIds } from './snowflake.ts';
import type { AttachedMedia, User } from './types.ts';

export interface Upload {
  readonly id: string;
  readonly owner: User;
  readonly kind: AttachedMedia['kind'];
  /** The extension of the file. */
  readonly extension: string;
  readonly width: number;
  readonly height: number;
  readonly durationMs: number | null;
  /** The number of tweets and articles that use the upload. */
  uses: number;
  /** The time since which nothing uses the upload. Meaningful only if `uses` is 0. */
  idleSince: number;
  /** The time from which the upload can be attached, because X processes videos. */
  readyAt: number;
  /** The description for people who cannot see the media. */
  altText: string | null;
}

/** An upload whose segments are being uploaded. */
export interface PendingUpload extends Segments {
  readonly id: string;
  readonly owner: User;
  readonly format: Format;
  readonly token: string | undefined;
}

const IDLE_MS = 24 * 60 * 60 * 1000;
const STILL_WIDTH = 640;

/** Stores uploads. An upload expires when nothing has used it for a day. */
export class Uploads {
  readonly #byId = new Map<string, Upload>();
  readonly pending = new Map<string, PendingUpload>();
  last: string | undefined;

  add(upload: Omit<Upload, 'uses' | 'readyAt' | 'altText'>): void {
    this.#byId.set(upload.id, { ...upload, uses: 0, readyAt: 0, altText: null });
    if (this.last === undefined || compareIds(upload.id, this.last) > 0) this.last = upload.id;
  }

  /** Returns an upload of this actor. Throws `not_found` if there is none. */
  find(id: string, actor: User, now: number): Upload {
    const upload = this.shown(id, now);
    if (upload?.owner !== actor) throw notFound('media', id);
    return upload;
  }

  /** Returns an upload that this actor may attach. Throws `not_found` if there is none. */
  own(id: string, actor: User, now: number): Upload {
    const upload = this.find(id, actor, now);
    if (upload.readyAt > now) throw badRequest('media_ids', `The media ${id} is still being processed`);
    return upload;
  }

  shown(id: string, now: number): Upload | undefined {
    const upload = this.#byId.get(id);
    return upload === undefined || isGone(upload, now) ? undefined : upload;
  }

  /**
   * Increases the use count of an upload. Returns undefined if the upload has expired, which can happen during a
   * replay.
   */
  attach(id: string): Upload | undefined {
    const upload = this.#byId.get(id);
    if (upload !== undefined) upload.uses++;
    return upload;
  }

  release(id: string, at: number): void {
    const upload = this.#byId.get(id);
    if (upload === undefined) return;
    upload.uses--;
    upload.idleSince = at;
  }

  /** Removes expired uploads and returns the names of their files. */
  sweep(now: number): string[] {
    const gone = [...this.#byId.values()].filter((upload) => isGone(upload, now));
    for (const { id } of gone) this.#byId.delete(id);
    const late = [...this.pending.values()].filter(({ startedAt }) => startedAt + IDLE_MS <= now);
    for (const { id } of late) this.pending.delete(id);
    return [...gone.map(fileOf), ...late.map(({ part }) => part)];
  }

  files(): Set<string> {
    return new Set([...[...this.#byId.values()].map(fileOf), ...[...this.pending.values()].map(({ part }) => part)]);
  }
}

/** The time after which an upload that nothing uses expires. */
export const expiresAfterSecs = IDLE_MS / 1_000;

export function fileOf({ id, extension }: Pick<Upload, 'id' | 'extension'>): string {
  return `${id}.${extension}`;
}

/** Returns the form in which a tweet attaches an upload. A video gets a preview picture that the sandbox generates. */
export function mediaOf(upload: Upload): AttachedMedia {
  const { kind, width, height, durationMs } = upload;
  const path = `/media/uploads/${fileOf(upload)}`;
  if (kind !== 'video') return { kind, path, videoPath: null, width, height, durationMs };
  return { kind, path: stillOf(upload), videoPath: path, width, height, durationMs };
}

/** Returns the id of the upload behind attached media, or an empty string for media that the seed generated. */
export function uploadIdOf({ path, videoPath }: AttachedMedia): string {
  return /^\/media\/uploads\/(\d+)\./.exec(videoPath ?? path)?.[1] ?? '';
}

export function stillOf({ id, width, height }: Pick<Upload, 'id' | 'width' | 'height'>): string {
  const shownHeight = Math.min(1_280, Math.max(16, Math.round((STILL_WIDTH * height) / width)));
  return `/media/stills/${id}-${STILL_WIDTH}x${shownHeight}.png`;
}

function isGone({ uses, idleSince }: Upload, now: number): boolean {
  return uses <= 0 && idleSince + IDLE_MS <= now;
}
