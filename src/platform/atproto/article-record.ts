import type { Blob } from '@atcute/lexicons';
import * as v from '@atcute/lexicons/validations';
import type { ArticleStatus } from '../../shared/model/article.ts';
import { parseUrl } from '../../shared/model/parse-url.ts';
import { parseRecordUri, timeOfTid } from './identifiers.ts';
import { matching } from './matching.ts';

/** The web page that shows an article. WhiteWind accepts the DID of the author as well as the handle, which may change. */
const reader = 'https://whtwnd.com';
const getBlob = '/xrpc/com.atproto.sync.getBlob';

/** The maximum size of the content in bytes, according to the lexicon. */
export const maxContentBytes = 100_000;
/** The maximum size of the title in bytes, according to the lexicon. */
const maxTitleBytes = 1_000;
/** More references to blobs do not fit into a record, which has at most 1 MB. */
const maxBlobs = 10_000;
/** Matches the content hashes that blobs can have: https://atproto.com/specs/blob */
const blobHash = /baf[ky]rei[a-z2-7]{52}/g;

/**
 * The fields of `com.whtwnd.blog.entry` that the adapter uses: https://whtwnd.com/lexicons. `postern` is an addition, which
 * the lexicon does not have and readers ignore.
 */
const entrySchema = v.object({
  content: v.constrain(v.string(), [v.stringLength(0, maxContentBytes)]),
  title: v.optional(v.constrain(v.string(), [v.stringLength(0, maxTitleBytes)])),
  createdAt: v.optional(v.datetimeString()),
  visibility: v.optional(v.string()),
  isDraft: v.optional(v.boolean()),
  ogp: v.optional(v.object({ url: v.string(), width: v.optional(v.integer()), height: v.optional(v.integer()) })),
  blobs: v.optional(
    v.constrain(v.array(v.object({ blobref: v.blob(), name: v.optional(v.string()) })), [v.arrayLength(0, maxBlobs)]),
  ),
  postern: v.optional(
    v.object({
      updatedAt: v.datetimeString(),
      /** The URI of the tweet that publishes the article. */
      post: v.optional(v.resourceUriString()),
      /** A hash of the idempotency token with which the article was unpublished. */
      unpublishedBy: v.optional(v.string()),
      /** The former preview of the article, if it is not a cover with a media id. */
      replacedOgp: v.optional(v.unknown()),
    }),
  ),
});

export type Entry = v.InferOutput<typeof entrySchema>;

/** A picture of an article. The record refers to its blob, because servers delete blobs that no record refers to. */
export interface Picture {
  blobref: Blob;
  /** The adapter stores the media id here, and WhiteWind the name of the file. */
  name?: string | undefined;
}

/** Returns the entry in a record, or `null` if the record is malformed. */
export function readEntry(record: unknown): Entry | null {
  return matching(entrySchema, record);
}

export function statusOf({ visibility, isDraft }: Entry): ArticleStatus {
  return visibility === 'author' || isDraft === true ? 'draft' : 'published';
}

export function createdAtOf(entry: Entry, uri: string): string {
  const time = new Date(entry.createdAt ?? timeOfTid(parseRecordUri(uri)?.key ?? '') ?? 0);
  return time.toISOString();
}

/** Returns the web page of an article, or of its editor. */
export function pageOf(uri: string, status: ArticleStatus): string {
  const { did, key } = parseRecordUri(uri) ?? { did: '', key: '' };
  return `${reader}/${did}/${key}${status === 'draft' ? '/edit' : ''}`;
}

/** Returns the address of a blob, in the form that WhiteWind recognizes and loads from its cache. */
export function blobUrl(origin: string, did: string, { ref }: Blob): string {
  return `${origin}${getBlob}?did=${encodeURIComponent(did)}&cid=${encodeURIComponent(ref.$link)}`;
}

/** Returns the picture at the address of a blob. */
function pictureAt(url: string | undefined, pictures: readonly Picture[]): Picture | undefined {
  const parsed = parseUrl(url ?? '');
  const cid = parsed?.pathname === getBlob ? parsed.searchParams.get('cid') : null;
  return pictures.find(({ blobref }) => blobref.ref.$link === cid);
}

/** Returns the cover of an article if it has a media id. */
export function coverOf({ ogp, blobs = [] }: Entry): (Picture & { name: string }) | null {
  const picture = pictureAt(ogp?.url, blobs as Picture[]);
  return picture?.name !== undefined && /^\d{1,64}$/.test(picture.name) ? { ...picture, name: picture.name } : null;
}

/** Returns the pictures that the content or the preview of an entry shows. */
export function usedPictures({ content, ogp, blobs = [] }: Entry): Picture[] {
  const used = new Set(`${content}\n${ogp?.url ?? ''}`.match(blobHash));
  return (blobs as Picture[]).filter(({ blobref }) => used.has(blobref.ref.$link));
}
