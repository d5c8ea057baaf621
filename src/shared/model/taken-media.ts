import type { Readable } from 'node:stream';

/** What the bytes are, as far as the platform makes a difference. */
export type MediaKind = 'photo' | 'gif' | 'video' | 'audio' | 'svg' | 'file';

/** Media that was fetched or decoded and checked. It is kept on disk until it is discarded, and goes with the process. */
export interface TakenMedia {
  readonly kind: MediaKind;
  /** MIME type, as the bytes say. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** Pixels; null where it has none. */
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  /** The bytes from the first to the last; may be asked for more than once. */
  open(): Readable;
  discard(): Promise<void>;
}
