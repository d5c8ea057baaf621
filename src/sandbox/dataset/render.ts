import { tweetCounts, userCounts } from './counts.ts';
import type { Dataset } from './dataset.ts';
import type { AttachedMedia, SandboxTweet, TweetEntities, User } from './types.ts';
import { hiddenFrom } from './visibility.ts';

/*
 * JSON text of users and tweets. Rendering pages of tweets takes most of the sandbox's time, so the fields of a user or
 * tweet that cannot change are serialized once. Counts and fields that depend on the viewer are added on every call.
 */

const heads = new WeakMap<User | SandboxTweet, string>();

/** Returns the JSON text of the fields that cannot change, without the closing brace. */
function headOf(of: User | SandboxTweet, make: () => object): string {
  let head = heads.get(of);
  if (head === undefined) {
    head = JSON.stringify(make()).slice(0, -1);
    heads.set(of, head);
  }
  return head;
}

export function userJson(dataset: Dataset, user: User, viewer: User): string {
  const canDm = user !== viewer && (user.openDms || user.following.has(viewer));
  const head = headOf(user, () => userHead(dataset, user));
  return `${head},"counts":${JSON.stringify(userCounts(user, viewer))},"pinned_tweet_ids":${
    user.pinned.length === 0 ? '[]' : JSON.stringify(user.pinned)
  },"viewer":{"can_dm":${canDm},"following":${viewer.following.has(user)},"follow_requested":${viewer.requested.has(
    user,
  )}}}`;
}

export function tweetJson(dataset: Dataset, tweet: SandboxTweet, viewer: User): string {
  return render(dataset, tweet, viewer, true);
}

export function tweetsJson(dataset: Dataset, tweets: readonly SandboxTweet[], viewer: User): string {
  return `[${tweets.map((tweet) => render(dataset, tweet, viewer, true)).join(',')}]`;
}

function render(dataset: Dataset, tweet: SandboxTweet, viewer: User, withQuoted: boolean): string {
  const head = headOf(tweet, () => tweetHead(dataset, tweet));
  const quoted = withQuoted && tweet.quoteOf !== null ? quotedJson(dataset, tweet.quoteOf, viewer) : 'null';
  const counts = JSON.stringify(tweetCounts(tweet, viewer));
  return `${head},"author":${userJson(dataset, tweet.author, viewer)},"quoted":${quoted},"counts":${counts},"viewer":{"liked":${viewer.liked.has(tweet)},"retweeted":${viewer.retweeted.has(
    tweet,
  )},"bookmarked":${viewer.bookmarked.has(tweet)}}}`;
}

/** Renders a quoted tweet. A tweet that the quoted tweet itself quotes is left out. */
function quotedJson(dataset: Dataset, tweet: SandboxTweet, viewer: User): string {
  const reason = hiddenFrom(viewer, tweet);
  if (reason !== undefined) return JSON.stringify({ kind: 'tombstone', id: tweet.id, reason });
  return render(dataset, tweet, viewer, false);
}

function userHead(dataset: Dataset, user: User) {
  return {
    kind: 'user',
    id: user.id,
    screen_name: user.screenName,
    name: user.name,
    description: user.description,
    location: user.location,
    website: user.website,
    page_url: `${dataset.origin}/${user.screenName}`,
    created_at: new Date(user.createdAt).toISOString(),
    verification: { verified: user.verified, premium: user.premium, kind: user.verificationKind },
    avatar_url: user.avatar && dataset.origin + user.avatar,
    banner_url: user.banner && dataset.origin + user.banner,
    protected: user.protected,
  };
}

function tweetHead(dataset: Dataset, tweet: SandboxTweet) {
  return {
    kind: 'tweet',
    id: tweet.id,
    text: tweet.text,
    lang: tweet.lang,
    source: tweet.source,
    page_url: pageOf(dataset, tweet),
    created_at: new Date(tweet.createdAt).toISOString(),
    conversation_id: tweet.conversationId,
    in_reply_to: tweet.replyTo && { tweet_id: tweet.replyTo.id, user_id: tweet.replyTo.author.id },
    quoted_id: tweet.quoteOf?.id ?? null,
    article: tweet.article && { id: tweet.article.id, title: tweet.article.title },
    media: tweet.media.map((media, index) => mediaForm(dataset, tweet, media, index)),
    entities: entitiesForm(tweet.entities),
    pending_moderation: false,
    community_id: null,
  };
}

function mediaForm(dataset: Dataset, tweet: SandboxTweet, media: AttachedMedia, index: number) {
  return {
    kind: media.kind,
    url: dataset.origin + media.path,
    expanded_url:
      media.width === null
        ? null
        : `${pageOf(dataset, tweet)}/${media.kind === 'video' ? 'video' : 'photo'}/${index + 1}`,
    video_url: media.videoPath && dataset.origin + media.videoPath,
    width: media.width,
    height: media.height,
    duration_ms: media.durationMs,
  };
}

function entitiesForm({ hashtags, symbols, timestamps, urls, mentions }: TweetEntities) {
  const user_mentions = mentions.map(({ user, indices }) => ({
    id: user.id,
    screen_name: user.screenName,
    name: user.name,
    indices,
  }));
  return { hashtags, symbols, timestamps, urls, user_mentions };
}

function pageOf(dataset: Dataset, tweet: SandboxTweet): string {
  return `${dataset.origin}/${tweet.author.screenName}/status/${tweet.id}`;
}
