import type { PlatformMedia } from '../platform/port.ts';
import { malformedField } from '../shared/errors/fields.ts';
import type { TakenMedia } from '../shared/model/taken-media.ts';
import type { MediaSource, MediaUploader, UploadRules } from './media-uploader.ts';

/** A source of media, with the rules that it must satisfy. */
export interface MediaRequest {
  source: MediaSource;
  rules: UploadRules;
}

/**
 * Reads all media in parallel and passes the results to `use`. If one fails, the others are aborted and `use` is not
 * called. All media is discarded afterwards.
 */
export async function withMedia<T>(
  uploader: MediaUploader,
  wanted: readonly MediaRequest[],
  use: (taken: readonly TakenMedia[]) => Promise<T>,
): Promise<T> {
  const failure = new AbortController();
  let reason: unknown;
  const results = await Promise.allSettled(
    wanted.map(async ({ source, rules }) => {
      try {
        return await uploader.take(source, { ...rules, signal: failure.signal });
      } catch (error) {
        if (!failure.signal.aborted) reason = error;
        failure.abort();
        throw error;
      }
    }),
  );
  const taken = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  try {
    if (taken.length < wanted.length) throw reason;
    return await use(taken);
  } finally {
    await Promise.all(taken.map((media) => media.discard()));
  }
}

/** Uploads all media in parallel. Waits for every upload to finish, then throws the first error, if any. */
export async function uploadAll(platform: PlatformMedia, taken: readonly TakenMedia[]): Promise<string[]> {
  const results = await Promise.allSettled(taken.map((media) => platform.upload(media)));
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** Throws if the media cannot be attached to one tweet. A tweet has up to four photos, or one GIF, or one video. */
export function checkCombination(taken: readonly TakenMedia[], others: number, field: string): void {
  const at = taken.findIndex(({ kind }) => kind !== 'photo');
  const found = taken[at];
  if (!found || taken.length + others === 1) return;
  throw malformedField(
    `${field}[${at}]`,
    `is a ${found.kind}, which stands alone: give up to four photos, or one ${found.kind}`,
  );
}
