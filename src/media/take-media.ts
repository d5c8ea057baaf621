import type { PlatformMedia } from '../platform/port.ts';
import { malformedField } from '../shared/errors/fields.ts';
import type { TakenMedia } from '../shared/model/taken-media.ts';
import type { MediaSource, MediaUploader, UploadRules } from './media-uploader.ts';

export interface Wanted {
  source: MediaSource;
  rules: UploadRules;
}

/**
 * Takes all of it side by side, or nothing: the first that fails ends the others. Gives it to `use`, and discards it
 * whatever comes.
 */
export async function withMedia<T>(
  desk: MediaUploader,
  wanted: readonly Wanted[],
  use: (taken: readonly TakenMedia[]) => Promise<T>,
): Promise<T> {
  const failure = new AbortController();
  let reason: unknown;
  const results = await Promise.allSettled(
    wanted.map(async ({ source, rules }) => {
      try {
        return await desk.take(source, { ...rules, signal: failure.signal });
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

/** Uploads it side by side, each with the token of its place. All have ended when this does. */
export async function uploadAll(platform: PlatformMedia, taken: readonly TakenMedia[]): Promise<string[]> {
  const results = await Promise.allSettled(taken.map((media) => platform.upload(media)));
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** Refuses what cannot stand together in one tweet: up to four photos, or one of anything else. */
export function refuseMixed(taken: readonly TakenMedia[], others: number, field: string): void {
  const at = taken.findIndex(({ kind }) => kind !== 'photo');
  const found = taken[at];
  if (!found || taken.length + others === 1) return;
  throw malformedField(
    `${field}[${at}]`,
    `is a ${found.kind}, which stands alone: give up to four photos, or one ${found.kind}`,
  );
}
