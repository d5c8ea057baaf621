import type * as Actor from '@atcute/bluesky/types/app/actor/defs';
import type * as Record from '@atcute/bluesky/types/app/embed/record';
import type * as Feed from '@atcute/bluesky/types/app/feed/defs';
import * as Post from '@atcute/bluesky/types/app/feed/post';
import type * as Facet from '@atcute/bluesky/types/app/richtext/facet';
import type { Entities } from '../../shared/model/entities.ts';
import type { Media } from '../../shared/model/media.ts';
import { formatTweetTime } from '../../shared/model/time.ts';
import type { QuotedTweet, Tweet } from '../../shared/model/tweet.ts';
import { atprotoCapabilities } from './capabilities.ts';
import { parseRecordUri } from './identifiers.ts';
import type { Ids } from './ids.ts';
import { matching } from './matching.ts';
import { postOf, referencesOf } from './post-references.ts';
import { authorFromView, type ProfileView } from './read-user.ts';

/** Each facet covers at least one grapheme of the text. */
const maxFacets = atprotoCapabilities.limits.text.length;
/** A facet can be a link, a mention and a hashtag. */
const maxFeatures = 3;
/** Twice the length of a language tag that software must support: https://www.rfc-editor.org/rfc/rfc5646#section-4.4.1 */
const maxLang = 70;

/** The parts of a post that all views of the lexicons share, with its counts. */
interface PostParts {
  uri: string;
  author: Actor.ProfileViewBasic;
  record: unknown;
  embed?: unknown;
  indexedAt: string;
  likeCount?: number | undefined;
  replyCount?: number | undefined;
  repostCount?: number | undefined;
  quoteCount?: number | undefined;
  bookmarkCount?: number | undefined;
}

/** Full profiles by DID. The authors inside posts have no counts. */
export type Profiles = ReadonlyMap<string, ProfileView>;

/** Returns the DIDs whose profiles `readPost` needs. */
export function authorsOf(posts: readonly Feed.PostView[]): string[] {
  return posts.flatMap((post) => {
    const quoted = quotedOf(post.embed);
    return quoted ? [post.author.did, quoted.author.did] : [post.author.did];
  });
}

/** Returns the tweet of a post, or `null` if the post cannot be represented. */
export function readPost(post: Feed.PostView, profiles: Profiles, ids: Ids): Tweet | null {
  const plain = readParts(post, profiles, ids);
  if (!plain) return null;
  const quoted = quotedOf(post.embed);
  return { ...plain, quoted_tweet: quoted ? readQuoted(quoted, profiles, ids) : null };
}

function readQuoted(view: Record.ViewRecord, profiles: Profiles, ids: Ids): QuotedTweet | null {
  // A record has one embed.
  const plain = readParts({ ...view, record: view.value, embed: view.embeds?.[0] }, profiles, ids);
  return plain && { ...plain, quoted_tweet: null };
}

function readParts(view: PostParts, profiles: Profiles, ids: Ids): Omit<Tweet, 'quoted_tweet'> | null {
  const post = matching(Post.mainSchema, withoutExcess(view.record));
  const id = ids.ofRecord(view.uri);
  const name = parseRecordUri(view.uri);
  if (post === null || id === null || name === null) return null;
  const parent = post.reply?.parent.uri;
  const quoted = postOf(referencesOf(post).quoted);
  const url = `https://bsky.app/profile/${view.author.handle}/post/${name.key}`;
  return {
    type: 'tweet',
    id,
    url,
    platformUrl: view.uri,
    text: post.text,
    source: null,
    retweetCount: view.repostCount ?? 0,
    replyCount: view.replyCount ?? 0,
    likeCount: view.likeCount ?? 0,
    quoteCount: view.quoteCount ?? 0,
    bookmarkCount: view.bookmarkCount ?? 0,
    viewCount: null,
    createdAt: formatTweetTime(timeOf(post.createdAt, view.indexedAt)),
    lang: post.langs?.[0] ?? 'und',
    isReply: parent !== undefined,
    inReplyToId: parent === undefined ? null : ids.ofRecord(parent),
    inReplyToUserId: parent === undefined ? null : ids.ofUser(parseRecordUri(parent)?.did ?? ''),
    conversationId: ids.ofRecord(post.reply?.root.uri ?? view.uri),
    media: readMedia(view.embed, url),
    entities: readEntities(post, ids),
    quoted_tweet_id: quoted && ids.ofRecord(quoted.uri),
    author: authorFromView({ ...view.author, ...profiles.get(view.author.did) } as ProfileView, ids),
  };
}

/**
 * Returns the time of a post. Clients choose `createdAt`, so a time after the post was indexed is replaced by the index
 * time.
 */
function timeOf(createdAt: string, indexedAt: string): Date {
  return new Date(Math.min(new Date(createdAt).getTime(), new Date(indexedAt).getTime()));
}

function typeOf(embed: unknown): string {
  const type = typeof embed === 'object' && embed !== null && '$type' in embed ? embed.$type : '';
  return typeof type === 'string' ? type : '';
}

function quotedOf(embed: unknown): Record.ViewRecord | null {
  const type = typeOf(embed);
  let record: unknown = null;
  if (type === 'app.bsky.embed.record#view') record = (embed as Record.View).record;
  if (type === 'app.bsky.embed.recordWithMedia#view') record = (embed as { record: Record.View }).record.record;
  if (typeOf(record) !== 'app.bsky.embed.record#viewRecord') return null;
  const view = record as Record.ViewRecord;
  return typeOf(view.value) === 'app.bsky.feed.post' ? view : null;
}

interface ImageView {
  fullsize: string;
  aspectRatio?: { width: number; height: number };
}

function readMedia(outer: unknown, pageUrl: string): Media[] {
  const isCombined = typeOf(outer) === 'app.bsky.embed.recordWithMedia#view';
  const embed = isCombined ? (outer as { media: unknown }).media : outer;
  switch (typeOf(embed)) {
    case 'app.bsky.embed.images#view':
      return (embed as { images: readonly ImageView[] }).images.map(({ fullsize, aspectRatio }) => ({
        type: 'photo',
        url: fullsize,
        expanded_url: pageUrl,
        video_url: null,
        width: aspectRatio?.width ?? null,
        height: aspectRatio?.height ?? null,
        duration_ms: null,
      }));
    case 'app.bsky.embed.video#view': {
      const video = embed as { playlist: string; thumbnail?: string } & Pick<ImageView, 'aspectRatio'>;
      const { aspectRatio } = video;
      return [
        {
          type: 'video',
          url: video.thumbnail ?? '',
          expanded_url: pageUrl,
          video_url: video.playlist,
          width: aspectRatio?.width ?? null,
          height: aspectRatio?.height ?? null,
          duration_ms: null,
        },
      ];
    }
    default:
      return [];
  }
}

/** Removes the parts of a record that no client shows and whose validation takes long. */
function withoutExcess(record: unknown): unknown {
  const { facets, langs } = record as { facets?: unknown; langs?: unknown };
  return {
    ...(record as object),
    ...(Array.isArray(facets) && { facets: facets.slice(0, maxFacets) }),
    ...(Array.isArray(langs) && { langs: langs.filter((lang) => typeof lang !== 'string' || lang.length <= maxLang) }),
  };
}

/** Converts facets to entities. Facets count bytes of UTF-8, and entities count code points. */
function readEntities({ text, facets = [] }: Post.Main, ids: Ids): Entities {
  const entities: Entities = { hashtags: [], symbols: [], timestamps: [], urls: [], user_mentions: [] };
  const bytes = Buffer.from(text);
  const codePointsBefore = countCodePoints(bytes);
  for (const { start, end, features } of separateFacets(bytes, facets)) {
    const part = bytes.toString('utf8', start, end);
    const indices: [number, number] = [codePointsBefore[start] ?? 0, codePointsBefore[end] ?? 0];
    for (const feature of features.slice(0, maxFeatures)) {
      if (feature.$type === 'app.bsky.richtext.facet#tag') entities.hashtags.push({ text: feature.tag, indices });
      if (feature.$type === 'app.bsky.richtext.facet#link') {
        entities.urls.push({ url: part, expanded_url: feature.uri, display_url: part, indices });
      }
      if (feature.$type === 'app.bsky.richtext.facet#mention') {
        const id = ids.ofUser(feature.did);
        const screenName = part.replace(/^@/, '');
        if (id !== null) entities.user_mentions.push({ id, screen_name: screenName, name: screenName, indices });
      }
    }
  }
  return entities;
}

/**
 * Returns facets in the order of the text, as clients do: without those that are empty, that begin or end inside a code
 * point, or that overlap the one before. All facets together then contain no more text than the post.
 */
function separateFacets(bytes: Buffer, facets: readonly Facet.Main[]) {
  let endBefore = 0;
  const inOrder = facets.toSorted((a, b) => a.index.byteStart - b.index.byteStart);
  return inOrder.flatMap(({ index: { byteStart: start, byteEnd }, features }) => {
    const end = Math.min(byteEnd, bytes.length);
    if (start < endBefore || start >= end || isInside(bytes, start) || isInside(bytes, end)) return [];
    endBefore = end;
    return [{ start, end, features }];
  });
}

/** Returns the number of code points before each byte of a UTF-8 text, and before its end. */
function countCodePoints(bytes: Buffer): number[] {
  const counts = [0];
  for (let at = 0; at < bytes.length; at++) counts.push((counts[at] ?? 0) + (isInside(bytes, at) ? 0 : 1));
  return counts;
}

/** Returns true if a position is inside a code point: bytes of the form 10xxxxxx continue one. */
function isInside(bytes: Buffer, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80;
}
