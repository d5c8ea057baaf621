import type { MediaKind, TakenMedia } from '../shared/model/taken-media.ts';
import type { ReceivedFile } from './received-file.ts';

/** Media as a caller gives it: a URL, base64 (which may be a data: URI), or a file that came with the request. */
export type MediaSource =
  | { url: string; declaredType?: string | null }
  | { base64: string; declaredType: string | null }
  | { file: ReceivedFile; declaredType: string | null };

export interface UploadRules {
  /** The name of the caller's field, for messages, such as `media_url` or `media_urls[1]`. */
  field: string;
  /** The accepted kinds. */
  kinds: readonly MediaKind[];
  /** Aborted when the media is no longer needed. */
  signal?: AbortSignal;
}

/** Takes media for one call: through the call's proxy, and until the caller hangs up. */
export interface MediaUploader {
  /**
   * Returns checked media, which the caller of this method must discard. Throws `bad_input` with the field and the fault. If the
   * caller's proxy fails, throws `platform_unavailable` or `platform_timeout` with the name of the proxy.
   */
  take(source: MediaSource, rules: UploadRules): Promise<TakenMedia>;
}
