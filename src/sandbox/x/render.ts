import { aboutForm } from '../dataset/about.ts';
import { tweetCounts, userCounts } from '../dataset/counts.ts';
import type { Dataset } from '../dataset/dataset.ts';
import { extractEntities } from '../dataset/entities.ts';
import { timeOf } from '../dataset/snowflake.ts';
import type { Post } from '../dataset/timelines.ts';
import { weightedLength } from '../dataset/tweet-text.ts';
import type { AttachedMedia, SandboxTweet, TweetEntities, User } from '../dataset/types.ts';
import { uploadIdOf } from '../dataset/uploads.ts';
import { isBlocked, type Viewer } from '../dataset/visibility.ts';
import type { Selection } from './selection.ts';

/*
 * JSON text of users, posts and media in the form of X's API v2. Rendering pages takes most of the sandbox's time, so the
 * fields that cannot change are serialized once for each selection of fields. X leaves out empty values.
 */

const always = new Set(['id', 'name', 'username', 'text']);

/** Returns the JSON text of the selected fields that cannot change, without the closing brace. */
function headOf(of: User | Post, { heads, as }: Selection, fields: ReadonlySet<string>, make: () => object): string {
  let head = heads.get(of);
  if (head === undefined) {
    const chosen = Object.entries(make()).filter(
      ([name, value]) => always.has(name) || (fields.has(name) && value !== null),
    );
    head = JSON.stringify(Object.fromEntries(chosen.map(([name, value]) => [as(name), value]))).slice(0, -1);
    heads.set(of, head);
  }
  return head;
}

const isoTime = (ms: number) => new Date(ms).toISOString();

export function userJson(dataset: Dataset, user: User, viewer: Viewer, selection: Selection): string {
  const { user: fields, as } = selection;
  let json = headOf(user, selection, fields, () => fixedFieldsOf(dataset, user));
  if (fields.has('public_metrics')) {
    const { followers, following, tweets, listed, favourites, media } = userCounts(user, viewer);
    json += `,"public_metrics":{"followers_count":${followers},"following_count":${following},"${as('post_count')}":${tweets},"listed_count":${listed},"like_count":${favourites},"media_count":${media}}`;
  }
  const [pinned] = user.pinned;
  if (pinned !== undefined && (selection.extended || fields.has('pinned_post_id'))) {
    json += `,"${as('pinned_post_id')}":"${pinned}"`;
    if (selection.extended) json += `,"${as('pinned_post_ids')}":${JSON.stringify(user.pinned)}`;
  }
  const recent = fields.has('most_recent_post_id') ? mostRecentOf(user) : undefined;
  if (recent !== undefined) json += `,"${as('most_recent_post_id')}":"${recent.id}"`;
  if (fields.has('subscription_type')) {
    json += `,"subscription_type":"${user === viewer && user.premium ? 'Premium' : 'None'}"`;
  }
  if (viewer === null) return `${json}}`;
  if (fields.has('receives_your_dm')) {
    json += `,"receives_your_dm":${user !== viewer && !isBlocked(viewer, user) && (user.openDms || user.following.has(viewer))}`;
  }
  if (fields.has('connection_status')) json += `,"connection_status":${JSON.stringify(connectionsOf(user, viewer))}`;
  return `${json}}`;
}

function fixedFieldsOf(dataset: Dataset, user: User) {
  const { description, website } = user;
  const organizations = [...dataset.affiliates].filter(([, members]) => members.includes(user));
  const isVerified = user.verified || user.premium;
  const link = website && { start: 0, end: [...website].length, url: website, expanded_url: website };
  return {
    id: user.id,
    name: user.name,
    username: user.screenName,
    created_at: isoTime(user.createdAt),
    description: description || null,
    entities: filled({
      url: link && { urls: [{ ...link, display_url: website.replace(/^https?:\/\//, '') }] },
      description: entitiesForm(extractEntities(description, dataset.userNamed)),
    }),
    is_identity_verified: aboutForm(user).is_identity_verified,
    location: user.location,
    parody: false,
    profile_banner_url: user.banner && dataset.origin + user.banner,
    profile_image_url: user.avatar && dataset.origin + user.avatar,
    protected: user.protected,
    url: website,
    verified: isVerified,
    verified_type: user.verificationKind ?? (isVerified ? 'blue' : 'none'),
    affiliation: organizations.length === 0 ? null : { user_id: organizations.map(([{ id }]) => id) },
  };
}

export function mostRecentOf(user: User): SandboxTweet | undefined {
  return user.tweets.findLast((tweet) => !tweet.deleted);
}

function connectionsOf(user: User, viewer: User): string[] {
  const all = {
    following: viewer.following.has(user),
    followed_by: user.following.has(viewer),
    follow_request_sent: viewer.requested.has(user),
    follow_request_received: user.requested.has(viewer),
    blocking: viewer.blocked.has(user),
    muting: viewer.muted.has(user),
  };
  return Object.entries(all).flatMap(([name, holds]) => (holds ? [name] : []));
}

export function postJson(dataset: Dataset, post: Post, viewer: Viewer, selection: Selection): string {
  const { post: fields, as } = selection;
  let json = headOf(post, selection, fields, () => fixedFieldsOfPost(dataset, post, selection));
  if ('of' in post) {
    if (!fields.has('public_metrics')) return `${json}}`;
    const { retweets } = tweetCounts(post.of, viewer);
    return `${json},"public_metrics":{"${as('repost_count')}":${retweets},"reply_count":0,"like_count":0,"quote_count":0,"bookmark_count":0,"impression_count":0}}`;
  }
  if (fields.has('public_metrics')) {
    const { retweets, replies, likes, quotes, bookmarks, views } = tweetCounts(post, viewer);
    json += `,"public_metrics":{"${as('repost_count')}":${retweets},"reply_count":${replies},"like_count":${likes},"quote_count":${quotes},"bookmark_count":${bookmarks}`;
    // X always has the views. By extension they may be unknown.
    json += views === null && selection.extended ? '}' : `,"impression_count":${views ?? 0}}`;
  }
  const article = fields.has('article') && post.article !== null && dataset.articles.find(post.article.id);
  if (article) {
    const plain_text = article
      .content()
      .blocks.map((block) => block.text)
      .join('\n');
    json += `,"article":${JSON.stringify({ title: article.title, plain_text })}`;
  }
  return `${json}}`;
}

/** Returns the posts that a post reposts, replies to or quotes. */
export function referencesOf(post: Post): readonly (readonly [type: string, to: SandboxTweet])[] {
  if ('of' in post) return [['retweeted', post.of]];
  const { replyTo, quoteOf } = post;
  if (replyTo === null && quoteOf === null) return noReferences;
  return [...(quoteOf ? [['quoted', quoteOf] as const] : []), ...(replyTo ? [['replied_to', replyTo] as const] : [])];
}

const noReferences: readonly never[] = [];

function fixedFieldsOfPost(dataset: Dataset, post: Post, { extended }: Selection) {
  const isRepost = 'of' in post;
  const tweet = isRepost ? post.of : post;
  const full = isRepost ? `RT @${tweet.author.screenName}: ${tweet.text}` : tweet.text;
  const text = shortened(full);
  const end = [...text].length;
  const entities = isRepost ? extractEntities(full, dataset.userNamed) : tweet.entities;
  const links = isRepost ? [] : mediaLinks(dataset, tweet, end);
  const references = referencesOf(post).map(([type, { id }]) => ({ type, id }));
  const noteEntities = text === full ? null : entitiesForm(entities, extended);
  return {
    id: post.id,
    text,
    attachments:
      isRepost || tweet.media.length === 0 ? null : { media_keys: tweet.media.map((_, at) => mediaKey(tweet, at)) },
    author_id: post.author.id,
    conversation_id: isRepost ? post.id : tweet.conversationId,
    created_at: isoTime(isRepost ? timeOf(post.id) : tweet.createdAt),
    display_text_range: [0, end],
    edit_history_post_ids: [post.id],
    entities: entitiesForm(entities, extended, end, links),
    in_reply_to_user_id: (!isRepost && tweet.replyTo?.author.id) || null,
    lang: tweet.lang,
    note_post: isRepost || text === full ? null : { text: full, ...(noteEntities && { entities: noteEntities }) },
    possibly_sensitive: false,
    referenced_posts: references.length === 0 ? null : references,
    reply_settings: 'everyone',
    source: tweet.source,
  };
}

const SHORT = 280;

/** Returns the text for clients that do not know long posts. */
function shortened(text: string): string {
  return weightedLength(text) <= SHORT ? text : `${[...text].slice(0, SHORT - 1).join('')}…`;
}

function entitiesForm(
  { hashtags, symbols, urls, mentions, timestamps }: TweetEntities,
  extended = false,
  end = Number.POSITIVE_INFINITY,
  links: readonly object[] = [],
) {
  const all = <T extends { indices: TweetEntities['urls'][number]['indices'] }>(
    from: readonly T[],
    form: (item: T) => object,
  ) =>
    from.flatMap((item) => {
      const [start, last] = item.indices;
      return last > end ? [] : [{ start, end: last, ...form(item) }];
    });
  return filled({
    hashtags: all(hashtags, ({ text }) => ({ tag: text })),
    cashtags: all(symbols, ({ text }) => ({ tag: text })),
    urls: [...all(urls, ({ url, expanded_url, display_url }) => ({ url, expanded_url, display_url })), ...links],
    mentions: all(mentions, ({ user: { id, screenName: username, name } }) => ({
      username,
      id,
      ...(extended && { name }),
    })),
    timestamps: extended ? all(timestamps, ({ text }) => ({ seconds: secondsOf(text), text })) : [],
  });
}

const secondsOf = (clock: string) => clock.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);

/** Returns the object without empty values, or null if all are empty. */
function filled(values: Readonly<Record<string, unknown>>): object | null {
  const entries = Object.entries(values).filter(([, value]) => value && !(Array.isArray(value) && value.length === 0));
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** X appends a short link to the text for attached media. The sandbox has no short links, so these have no characters. */
function mediaLinks({ origin }: Dataset, tweet: SandboxTweet, end: number) {
  return tweet.media.flatMap(({ kind, width }, index) => {
    if (width === null) return [];
    const part = `${tweet.author.screenName}/status/${tweet.id}/${kind === 'video' ? 'video' : 'photo'}/${index + 1}`;
    const url = `${origin}/${part}`;
    return [{ start: end, end, url, expanded_url: url, display_url: part, media_key: mediaKey(tweet, index) }];
  });
}

export const keyPrefixes = { photo: 3, video: 7, animated_gif: 16 };

export function mediaKey(tweet: SandboxTweet, index: number): string {
  const media = tweet.media[index];
  return media === undefined ? '' : `${keyPrefixes[media.kind]}_${uploadIdOf(media) || `${tweet.id}${index}`}`;
}

export function mediaJson(
  { origin, uploads }: Dataset,
  media: AttachedMedia,
  media_key: string,
  views: number,
  fields: Selection['media'],
) {
  const { kind, path, videoPath, width, height, durationMs } = media;
  const isPhoto = kind === 'photo';
  const variant = { bit_rate: 832_000, content_type: 'video/mp4', url: `${origin}${videoPath}` };
  const all = {
    alt_text: uploads.shown(uploadIdOf(media), 0)?.altText ?? null,
    duration_ms: durationMs,
    height,
    preview_image_url: isPhoto ? null : origin + path,
    public_metrics: kind === 'video' ? { view_count: views } : null,
    url: isPhoto ? origin + path : null,
    variants: videoPath === null ? null : [variant],
    width,
  };
  const chosen = Object.entries(all).filter(([name, value]) => fields.has(name) && value !== null);
  return JSON.stringify({ media_key, type: kind, ...Object.fromEntries(chosen) });
}
