import type { Readable } from 'node:stream';

/** The kinds of media that the platform distinguishes. */
export type MediaKind = 'photo' | 'gif' | 'video' | 'audio' | 'svg' | 'file';

/** Media that was fetched or decoded, and checked. It stays on disk until it is discarded or the process ends. */
export interface TakenMedia {
  readonly kind: MediaKind;
  /** MIME type, detected from the bytes. */
  readonly type: string;
  /** Size in bytes. */
  readonly size: number;
  /** Size in pixels; null if the media has none. */
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  /** Returns all bytes from the beginning. May be called more than once. */
  open(): Readable;
  discard(): Promise<void>;
}
