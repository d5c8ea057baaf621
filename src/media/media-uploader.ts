import type { MediaKind, TakenMedia } from '../shared/model/taken-media.ts';
import type { ReceivedFile } from './received-file.ts';

/**
 * As a caller gives it: an address to fetch, base64 (a data: URI, or with the type beside it), or a file that came with
 * the request.
 */
export type MediaSource =
  | { url: string; declaredType?: string | null }
  | { base64: string; declaredType: string | null }
  | { file: ReceivedFile; declaredType: string | null };

export interface UploadRules {
  /** The caller's name for it, for messages: `media_url`, `cover_image_base64`, `media_urls[1]`. */
  field: string;
  /** Which kinds are welcome. */
  kinds: readonly MediaKind[];
  /** Aborted when it is not wanted any more. */
  signal?: AbortSignal;
}

/** Takes media in for one call: by way of its proxy, and until its caller hangs up. */
export interface MediaUploader {
  /**
   * Throws `bad_input` naming the field and the fault; a fault of the caller's proxy is `platform_unavailable` or
   * `platform_timeout` naming it. Whoever is given media discards it.
   */
  take(source: MediaSource, rules: UploadRules): Promise<TakenMedia>;
}
