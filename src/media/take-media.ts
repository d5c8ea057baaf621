import type { PlatformMedia } from '../platform/port.ts';
import { malformedField } from '../shared/errors/fields.ts';
import type { TakenMedia } from '../shared/model/taken-media.ts';
import type { MediaSource, MediaUploader, UploadRules } from './media-uploader.ts';

/** A source of media with the rules for it. */
export interface MediaRequest {
  source: MediaSource;
  rules: UploadRules;
}

/**
 * Takes all media in parallel and passes them to `use`. If one fails, the others are aborted and nothing is used. All media are
 * discarded afterwards in every case.
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

/** Uploads all media in parallel. Settles when every upload has ended, and throws the first error. */
export async function uploadAll(platform: PlatformMedia, taken: readonly TakenMedia[]): Promise<string[]> {
  const results = await Promise.allSettled(taken.map((media) => platform.upload(media)));
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** Refuses media that one tweet cannot hold together: a tweet has up to four photos, or one GIF or video. */
export function refuseMixed(taken: readonly TakenMedia[], others: number, field: string): void {
  const at = taken.findIndex(({ kind }) => kind !== 'photo');
  const found = taken[at];
  if (!found || taken.length + others === 1) return;
  throw malformedField(
    `${field}[${at}]`,
    `is a ${found.kind}, which stands alone: give up to four photos, or one ${found.kind}`,
  );
}
