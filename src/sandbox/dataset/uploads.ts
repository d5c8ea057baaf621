import { notFound } from '../http/problem.ts';
import type { AttachedMedia, User } from './types.ts';

export interface Upload {
  readonly id: string;
  readonly owner: User;
  readonly kind: AttachedMedia['kind'];
  /** Of its file. */
  readonly extension: string;
  readonly width: number;
  readonly height: number;
  readonly durationMs: number | null;
  /** How many things it is attached to. */
  uses: number;
  /** Since when it has been attached to nothing, if it is. */
  idleSince: number;
}

const IDLE_MS = 24 * 60 * 60 * 1000;
const STILL_WIDTH = 640;

/** What was uploaded. What is attached to nothing for a day is gone. */
export class Uploads {
  readonly #byId = new Map<string, Upload>();
  last: string | undefined;

  add(upload: Omit<Upload, 'uses'>): void {
    this.#byId.set(upload.id, { ...upload, uses: 0 });
    this.last = upload.id;
  }

  /** One that this actor may attach. */
  own(id: string, actor: User, now: number): Upload {
    const upload = this.shown(id, now);
    if (upload?.owner !== actor) throw notFound('media', id);
    return upload;
  }

  shown(id: string, now: number): Upload | undefined {
    const upload = this.#byId.get(id);
    return upload === undefined || isGone(upload, now) ? undefined : upload;
  }

  /** The upload, attached to one thing more. A replay may know it no longer. */
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

  /** Forgets those that are gone, and tells the names of their files. */
  sweep(now: number): string[] {
    const gone = [...this.#byId.values()].filter((upload) => isGone(upload, now));
    for (const { id } of gone) this.#byId.delete(id);
    return gone.map(fileOf);
  }

  files(): Set<string> {
    return new Set([...this.#byId.values()].map(fileOf));
  }
}

export function fileOf({ id, extension }: Pick<Upload, 'id' | 'extension'>): string {
  return `${id}.${extension}`;
}

/** How a tweet shows it. A video begins with a picture of the sandbox's own making. */
export function mediaOf(upload: Upload): AttachedMedia {
  const { kind, width, height, durationMs } = upload;
  const path = `/media/uploads/${fileOf(upload)}`;
  if (kind !== 'video') return { kind, path, videoPath: null, width, height, durationMs };
  return { kind, path: stillOf(upload), videoPath: path, width, height, durationMs };
}

/** Of what a tweet shows; empty for a picture of the seed's. */
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
