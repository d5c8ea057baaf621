import type { MediaKind, TakenMedia } from '../model/taken-media.ts';

/** As a caller gives it: an address to fetch, or base64 (a data: URI, or with the type beside it). */
export type MediaSource = { url: string } | { base64: string; declaredType: string | null };

export interface TakingRules {
  /** The caller's name for it, for messages: `media_url`, `cover_image_base64`, `media_urls[1]`. */
  field: string;
  /** Which kinds are welcome. */
  kinds: readonly MediaKind[];
}

/** Takes media in for one call: by way of its proxy, and until its caller hangs up. */
export interface MediaDesk {
  /** Throws `bad_input` naming the field and the fault. Whoever is given media discards it. */
  take(source: MediaSource, rules: TakingRules): Promise<TakenMedia>;
}
