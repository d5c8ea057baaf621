import type { Readable } from 'node:stream';

/** The kinds of media that the platform distinguishes. */
export type MediaKind = 'photo' | 'gif' | 'video' | 'audio' | 'svg' | 'file';

/** Media that was fetched or decoded, and checked. It stays on disk until it is discarded or the process ends. */
export interface TakenMedia {
  readonly kind: MediaKind;
  /** The MIME type, detected from the bytes. */
  readonly type: string;
  /** The size in bytes, after metadata was removed. */
  readonly size: number;
  /** The width in pixels; null if the media has no dimensions. */
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  /** Returns a stream of the bytes from `from` (default: 0) to `to` (default: the end). May be called several times. */
  open(from?: number, to?: number): Readable;
  discard(): Promise<void>;
}
