import type { Entities, Media, Tweet, User } from './types.ts';
import { hiddenFrom } from './visibility.ts';
import type { World } from './world.ts';

/*
 * The wire forms, as JSON text. A page of tweets is the platform's hottest path, so what cannot change about a user or a
 * tweet is turned to text once (`head`); counts and what depends on the viewer are written every time.
 */

export function userJson(world: World, user: User, viewer: User): string {
  user.head ??= userHead(world, user);
  const canDm = user !== viewer && (user.openDms || user.following.has(viewer));
  return `${user.head},"counts":{"followers":${user.followerCount},"following":${user.followingCount},"favourites":${
    user.earlierFavourites + user.liked.size
  },"tweets":${user.tweetCount},"media":${user.mediaCount},"listed":${user.listed}},"pinned_tweet_ids":${
    user.pinned.length === 0 ? '[]' : JSON.stringify(user.pinned)
  },"viewer":{"can_dm":${canDm},"following":${viewer.following.has(user)},"follow_requested":${viewer.requested.has(
    user,
  )}}}`;
}

export function usersJson(world: World, users: readonly User[], viewer: User): string {
  return `[${users.map((user) => userJson(world, user, viewer)).join(',')}]`;
}

export function tweetJson(world: World, tweet: Tweet, viewer: User): string {
  return render(world, tweet, viewer, true);
}

export function tweetsJson(world: World, tweets: readonly Tweet[], viewer: User): string {
  return `[${tweets.map((tweet) => render(world, tweet, viewer, true)).join(',')}]`;
}

function render(world: World, tweet: Tweet, viewer: User, withQuoted: boolean): string {
  tweet.head ??= tweetHead(world, tweet);
  const quoted = withQuoted && tweet.quoteOf !== null ? quotedJson(world, tweet.quoteOf, viewer) : 'null';
  return `${tweet.head},"author":${userJson(world, tweet.author, viewer)},"quoted":${quoted},"counts":{"likes":${
    tweet.likes
  },"retweets":${tweet.retweets},"replies":${shownOf(tweet.replies, tweet.shyAnswers, viewer)},"quotes":${shownOf(tweet.quotes, tweet.shyQuotes, viewer)},"bookmarks":${
    tweet.bookmarks
  },"views":${tweet.views}},"viewer":{"liked":${viewer.liked.has(tweet)},"retweeted":${viewer.retweeted.has(
    tweet,
  )},"bookmarked":${viewer.bookmarked.has(tweet)}}}`;
}

/** How many of `count` tweets the list of them shows this viewer; `shy` are those that not everybody may see. */
function shownOf(count: number, shy: readonly Tweet[] | undefined, viewer: User): number {
  if (shy === undefined) return count;
  return count - shy.filter((tweet) => !tweet.deleted && hiddenFrom(viewer, tweet) !== undefined).length;
}

/** One level only: a quoted tweet does not show what it quotes itself. */
function quotedJson(world: World, id: string, viewer: User): string {
  const tweet = world.tweet(id);
  const reason = tweet === undefined ? 'deleted' : hiddenFrom(viewer, tweet);
  if (tweet === undefined || reason !== undefined) return JSON.stringify({ kind: 'tombstone', id, reason });
  return render(world, tweet, viewer, false);
}

/** Everything about a user that does not change, open for more fields. */
function userHead(world: World, user: User): string {
  return open({
    kind: 'user',
    id: user.id,
    screen_name: user.screenName,
    name: user.name,
    description: user.description,
    location: user.location,
    website: user.website,
    page_url: `${world.origin}/${user.screenName}`,
    created_at: new Date(user.createdAt).toISOString(),
    verification: { verified: user.verified, premium: user.premium, kind: user.verificationKind },
    avatar_url: user.avatar && world.origin + user.avatar,
    banner_url: user.banner && world.origin + user.banner,
    protected: user.protected,
  });
}

function tweetHead(world: World, tweet: Tweet): string {
  return open({
    kind: 'tweet',
    id: tweet.id,
    text: tweet.text,
    lang: tweet.lang,
    source: tweet.source,
    page_url: pageOf(world, tweet),
    created_at: new Date(tweet.createdAt).toISOString(),
    conversation_id: tweet.conversationId,
    in_reply_to: tweet.replyTo && { tweet_id: tweet.replyTo.tweetId, user_id: tweet.replyTo.userId },
    article: tweet.article && { id: tweet.article.id, title: tweet.article.title },
    media: tweet.media.map((media, index) => mediaForm(world, tweet, media, index)),
    entities: entitiesForm(tweet.entities),
    pending_moderation: false,
    community_id: null,
  });
}

function mediaForm(world: World, tweet: Tweet, media: Media, index: number) {
  return {
    kind: media.kind,
    url: world.origin + media.path,
    expanded_url:
      media.width === null
        ? null
        : `${pageOf(world, tweet)}/${media.kind === 'video' ? 'video' : 'photo'}/${index + 1}`,
    video_url: media.videoPath && world.origin + media.videoPath,
    width: media.width,
    height: media.height,
    duration_ms: media.durationMs,
  };
}

function entitiesForm({ hashtags, symbols, timestamps, urls, mentions }: Entities) {
  const user_mentions = mentions.map(({ user, indices }) => ({
    id: user.id,
    screen_name: user.screenName,
    name: user.name,
    indices,
  }));
  return { hashtags, symbols, timestamps, urls, user_mentions };
}

function pageOf(world: World, tweet: Tweet): string {
  return `${world.origin}/${tweet.author.screenName}/status/${tweet.id}`;
}

function open(fields: object): string {
  return JSON.stringify(fields).slice(0, -1);
}
