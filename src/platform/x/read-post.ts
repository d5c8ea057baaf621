import type { Entities } from '../../shared/model/entities.ts';
import type { Media } from '../../shared/model/media.ts';
import { formatTweetTime } from '../../shared/model/time.ts';
import type { QuotedTweet, Tweet } from '../../shared/model/tweet.ts';
import type { Author } from '../../shared/model/user.ts';
import { id, list, object, optional, readCount, readTweetTime, text, type Wire } from '../http/wire.ts';
import type { PlatformNeeds } from '../port.ts';
import type { XBody } from './client.ts';
import { type XFeatures, xFeatures } from './features.ts';
import { readAuthor } from './read-user.ts';

/** The maximum length of the text of a post and of the URLs in it, in UTF-16 code units. */
export const maxTextLength = 200_000;
/** More than the pictures and videos of any post. */
const maxMedia = 16;
/** X's posts have at most one reference of each type. */
const maxReferences = 8;
const none: Wire = {};
const empty: readonly unknown[] = [];

/** Returns when a post was made: its id contains milliseconds since 4 November 2010. */
export function timeOfId(postId: string): number {
  return Number((BigInt(postId) >> 22n) + 1288834974657n);
}

interface References {
  repliedTo: string | null;
  quoted: string | null;
  retweeted: string | null;
}

export function referencesOf(post: Wire): References {
  const found: References = { repliedTo: null, quoted: null, retweeted: null };
  const all = optional(list, post.referenced_posts ?? post.referenced_tweets, 'referenced_posts', empty);
  for (const item of all.slice(0, maxReferences)) {
    const reference = object(item, 'referenced_posts[]');
    const type = text(reference.type, 'type');
    const target = reference.id;
    if (type === 'replied_to') found.repliedTo = id(target, 'id');
    else if (type === 'quoted') found.quoted = id(target, 'id');
    else if (type === 'retweeted') found.retweeted = id(target, 'id');
  }
  return found;
}

/** The objects of one or more responses, by their ids. It converts posts to tweets with their authors, media and quoted tweets. */
export class PostReader {
  readonly #needs: PlatformNeeds;
  readonly #features: XFeatures;
  readonly #posts = new Map<string, Wire>();
  readonly #users = new Map<string, Wire>();
  readonly #authors = new Map<string, Author>();
  readonly #media = new Map<string, Wire>();

  constructor(needs: PlatformNeeds, features: XFeatures) {
    this.#needs = needs;
    this.#features = features;
  }

  /** Adds the included objects of a response. */
  add({ includes }: XBody): void {
    addAll(this.#posts, includes.posts ?? includes.tweets, idOf);
    addAll(this.#users, includes.users, idOf);
    addAll(this.#media, includes.media, (item) => text(item.media_key, 'media_key'));
  }

  /** Adds posts of a list as if they had been included. */
  addPosts(posts: readonly Wire[]): void {
    addAll(this.#posts, posts, idOf);
  }

  /** Returns the ids of quoted and reposted posts that came without their author or media, so that they must be looked up. */
  incomplete(posts: readonly Wire[]): string[] {
    const ids = new Set<string>();
    for (const outer of posts) {
      const { retweeted } = referencesOf(outer);
      const post = retweeted === null ? outer : this.#posts.get(retweeted);
      if (!post) continue;
      if (retweeted !== null && !this.#isComplete(post)) ids.add(retweeted);
      const { quoted } = this.#needs.quoted ? referencesOf(post) : { quoted: null };
      const inner = quoted === null ? undefined : this.#posts.get(quoted);
      if (quoted !== null && inner && !this.#isComplete(inner)) ids.add(quoted);
    }
    return [...ids];
  }

  #isComplete(post: Wire): boolean {
    if (this.#needs.author && !this.#users.has(authorOf(post) ?? '')) return false;
    return !this.#needs.media || mediaKeysOf(post).every((key) => this.#media.has(key));
  }

  /** Returns the tweet of a post, and that of the reposted post for a repost. Returns `null` if the actor may not see it. */
  tweet(outer: Wire): Tweet | null {
    const { retweeted } = referencesOf(outer);
    const post = retweeted === null ? outer : this.#posts.get(retweeted);
    if (!post) return null;
    const references = referencesOf(post);
    const quoted = references.quoted === null ? undefined : this.#posts.get(references.quoted);
    const inner = quoted && this.#needs.quoted ? this.#around(quoted, referencesOf(quoted), null) : null;
    return this.#around(post, references, inner);
  }

  #author(post: Wire): Author | null {
    if (!this.#needs.author) return unknownAuthor;
    const authorId = authorOf(post);
    if (authorId === null) return null;
    const known = this.#authors.get(authorId);
    if (known) return known;
    const user = this.#users.get(authorId);
    if (!user) return null;
    const author = readAuthor(user, this.#features);
    this.#authors.set(authorId, author);
    return author;
  }

  /**
   * Builds the tweet as a single object literal. Spreading several objects would take twice the time, both here and in serialization, and
   * this is a hot path.
   */
  #around<Quoted extends QuotedTweet | null>(post: Wire, references: References, quoted: Quoted) {
    const postId = id(post.id, 'id');
    const author = this.#author(post);
    if (author === null) return null;
    const counts = optional(object, post.public_metrics, 'public_metrics', none);
    const note = optional(object, post.note_post ?? post.note_tweet, 'note_post', post);
    const words = text(note.text, 'text', maxTextLength);
    const entities = optional(object, note.entities, 'entities', none);
    const urls = optional(list, entities.urls, 'urls', empty);
    const { url, platformUrl } = this.#features.pages;
    return {
      type: 'tweet' as const,
      id: postId,
      url: `${url}/${author.userName}/status/${postId}`,
      platformUrl: `${platformUrl}/${author.userName}/status/${postId}`,
      text: words,
      source: optional(text, post.source, 'source', null),
      retweetCount: optional(readCount, counts.repost_count ?? counts.retweet_count, 'repost_count', 0),
      replyCount: optional(readCount, counts.reply_count, 'reply_count', 0),
      likeCount: optional(readCount, counts.like_count, 'like_count', 0),
      quoteCount: optional(readCount, counts.quote_count, 'quote_count', 0),
      bookmarkCount: optional(readCount, counts.bookmark_count, 'bookmark_count', 0),
      viewCount: optional(readCount, counts.impression_count, 'impression_count', null),
      createdAt:
        post.created_at === undefined
          ? formatTweetTime(new Date(timeOfId(postId)))
          : readTweetTime(post.created_at, 'created_at'),
      lang: optional(text, post.lang, 'lang', 'und'),
      isReply: references.repliedTo !== null,
      inReplyToId: references.repliedTo,
      inReplyToUserId: references.repliedTo && optional(id, post.in_reply_to_user_id, 'in_reply_to_user_id', null),
      conversationId: optional(id, post.conversation_id, 'conversation_id', null),
      media: this.#needs.media ? this.#mediaOf(post, urls) : [],
      entities: this.#entities(entities, urls, words.length),
      author,
      quoted_tweet_id: references.quoted,
      quoted_tweet: quoted,
    };
  }

  #mediaOf(post: Wire, urls: readonly unknown[]): Media[] {
    const media: Media[] = [];
    for (const key of mediaKeysOf(post)) {
      const item = this.#media.get(key);
      if (!item) continue;
      const link = urls.find((url) => mediaKeyOf(url) === key) as Wire | undefined;
      const type = text(item.type, 'type');
      media.push({
        type,
        url: optional(text, item.url ?? item.preview_image_url, 'url', ''),
        expanded_url: optional(text, link?.expanded_url, 'expanded_url', null),
        video_url: type === 'photo' ? null : videoOf(item),
        width: optional(readCount, item.width, 'width', null),
        height: optional(readCount, item.height, 'height', null),
        duration_ms: optional(readCount, item.duration_ms, 'duration_ms', null),
      });
    }
    return media;
  }

  /** Each entity covers at least one character of the text, so `max` is the length of the text. The links to media may cover none. */
  #entities(entities: Wire, urls: readonly unknown[], max: number): Entities {
    return {
      hashtags: optional(list, entities.hashtags, 'hashtags', empty, max).map(readTag),
      symbols: optional(list, entities.cashtags, 'cashtags', empty, max).map(readTag),
      timestamps: optional(list, entities.timestamps, 'timestamps', empty, max).map(readTag),
      urls: list(urls, 'urls', max + maxMedia)
        .filter((url) => mediaKeyOf(url) === null)
        .map(readUrl),
      user_mentions: optional(list, entities.mentions, 'mentions', empty, max).map((item) => this.#mention(item)),
    };
  }

  /** The display name is in the sandbox's extensions, or in the user of the mention if that was asked for. */
  #mention(item: unknown): Entities['user_mentions'][number] {
    const mention = object(item, 'mentions[]');
    const mentioned = optional(id, mention.id, 'id', '');
    const name = mention.name ?? this.#users.get(mentioned)?.name;
    return {
      id: mentioned,
      screen_name: text(mention.username, 'username'),
      name: optional(text, name, 'name', ''),
      indices: readIndices(mention),
    };
  }
}

/** Stands for authors that the caller will not see. X's web pages accept this name for any author. */
const unknownAuthor = readAuthor({ id: '0', username: 'i/web', name: '' }, xFeatures);

function addAll(known: Map<string, Wire>, items: unknown, keyOf: (item: Wire) => string): void {
  for (const item of optional(list, items, 'includes', empty)) {
    const fields = object(item, 'includes[]');
    known.set(keyOf(fields), fields);
  }
}

const idOf = (item: Wire) => id(item.id, 'id');
const authorOf = (post: Wire) => optional(id, post.author_id, 'author_id', null);
export const mediaKeyOf = (url: unknown) => optional(text, object(url, 'urls[]').media_key, 'media_key', null);

export function mediaKeysOf({ attachments }: Wire): string[] {
  const { media_keys: keys } = optional(object, attachments, 'attachments', none);
  return optional(list, keys, 'media_keys', empty, maxMedia).map((key) => text(key, 'media_keys[]'));
}

/** Returns the address of the best MP4 file. */
function videoOf(media: Wire): string | null {
  let best: { rate: number; url: string } | null = null;
  for (const item of optional(list, media.variants, 'variants', empty)) {
    const { content_type, bit_rate: rate, url } = object(item, 'variants[]');
    const type = text(content_type, 'content_type');
    const bits = optional(readCount, rate, 'bit_rate', 0);
    if (type === 'video/mp4' && (best === null || bits > best.rate)) best = { rate: bits, url: text(url, 'url') };
  }
  return best?.url ?? null;
}

function readTag(item: unknown): Entities['hashtags'][number] {
  const tag = object(item, 'entities tag');
  return { text: text(tag.tag ?? tag.text, 'tag'), indices: readIndices(tag) };
}

function readUrl(item: unknown): Entities['urls'][number] {
  const url = object(item, 'entities.urls[]');
  const short = text(url.url, 'url', maxTextLength);
  const expanded = optional(text, url.expanded_url, 'expanded_url', short, maxTextLength);
  return {
    url: short,
    expanded_url: expanded,
    display_url: optional(text, url.display_url, 'display_url', expanded, maxTextLength),
    indices: readIndices(url),
  };
}

function readIndices({ start, end }: Wire): [number, number] {
  return [readCount(start, 'start'), readCount(end, 'end')];
}
