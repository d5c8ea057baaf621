import type { MediaKind, TakenMedia } from '../shared/model/taken-media.ts';
import type { ReceivedFile } from './received-file.ts';

/** The source of media: a URL, base64 or a data: URI, or a file uploaded in the request. */
export type MediaSource =
  | { url: string; declaredType?: string | null }
  | { base64: string; declaredType: string | null }
  | { file: ReceivedFile; declaredType: string | null };

export interface UploadRules {
  /** The name of the input field for error messages, such as `media_url` or `media_urls[1]`. */
  field: string;
  /** The accepted kinds of media. */
  kinds: readonly MediaKind[];
  /** True to leave the metadata of pictures in place. */
  keepMetadata?: boolean;
  /** Aborted when the media is no longer needed. */
  signal?: AbortSignal;
}

/** Reads and checks the media of one call. Downloads use the call's proxy and stop when the client disconnects. */
export interface MediaUploader {
  /**
   * Returns checked media. The caller of this method must discard it. Throws `bad_input` with the field and the reason.
   * If the caller's proxy fails, throws `platform_unavailable` or `platform_timeout` with the name of the proxy.
   */
  take(source: MediaSource, rules: UploadRules): Promise<TakenMedia>;
}
