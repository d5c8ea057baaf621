import { because, type PlatformCapabilities } from '../capabilities.ts';

/** The network has direct messages, but its server can read them, so they are not the messages of this API. */
const messages = "The platform's messages are not end-to-end encrypted";

/** The limits come from the lexicons `app.bsky.feed.post`, `app.bsky.embed.images` and `app.bsky.embed.video`. GIFs are for articles. */
export const atprotoCapabilities = {
  kind: 'atproto',
  unsupported: {
    ...because(messages, 'dm/list', 'dm/messages', 'dm/send', 'dm/send_media', 'dm/edit', 'dm/delete', 'dm/react'),
    ...because(messages, 'dm/unreact', 'dm/enroll'),
  },
  methods: {
    'tweet/advanced_search': '`app.bsky.feed.searchPosts`',
    'tweet/detail': '`app.bsky.feed.getPostThread`',
    'tweet/replies': '`app.bsky.feed.getPostThread`, which is not paged, so the adapter divides the replies into pages',
    'tweet/quotes': '`app.bsky.feed.getQuotes`',
    'tweet/retweeters': '`app.bsky.feed.getRepostedBy`',
    'tweet/create': '`com.atproto.repo.createRecord` with the idempotency token in the record key',
    'tweet/delete': '`com.atproto.repo.deleteRecord`, after the adapter has checked that the record exists',
    'tweet/favorite': 'a record of `app.bsky.feed.like`',
    'tweet/unlike': 'deletes the records of `app.bsky.feed.like` with this subject',
    'tweet/bookmark': '`app.bsky.bookmark.createBookmark`',
    'tweet/unbookmark': '`app.bsky.bookmark.deleteBookmark`',
    'tweet/retweet': 'a record of `app.bsky.feed.repost`',
    'tweet/unretweet': 'deletes the records of `app.bsky.feed.repost` with this subject',
    'user/home_timeline': '`app.bsky.feed.getTimeline`',
    'user/mentions': '`app.bsky.notification.listNotifications`, then `app.bsky.feed.getPosts`',
    'user/me': '`app.bsky.actor.getProfile`',
    'user/info': '`app.bsky.actor.getProfile`',
    'user/search': '`app.bsky.actor.searchActors`, then `app.bsky.actor.getProfiles`',
    'user/user_about': 'the audit log of the PLC directory',
    'user/tweets_and_replies': '`app.bsky.feed.getAuthorFeed`',
    'user/followers': '`app.bsky.graph.getFollowers`, then `app.bsky.actor.getProfiles`',
    'user/following': '`app.bsky.graph.getFollows`, then `app.bsky.actor.getProfiles`',
    'user/followers_you_know': '`app.bsky.graph.getKnownFollowers`, then `app.bsky.actor.getProfiles`',
    'user/affiliates': 'the records of `app.bsky.graph.verification` of a trusted verifier',
    'user/follow': 'a record of `app.bsky.graph.follow`',
    'user/unfollow': 'deletes the records of `app.bsky.graph.follow` with this subject',
    'user/bookmarks': '`app.bsky.bookmark.getBookmarks`',
    'user/articles_tweets':
      'the records of `com.whtwnd.blog.entry` on the server of the user, then `app.bsky.feed.getPosts`',
    'article/create': 'a record of `com.whtwnd.blog.entry`, with `visibility: author` for a draft',
    'article/detail': '`com.atproto.repo.getRecord` on the server of the author',
    'article/list': '`com.atproto.repo.listRecords`',
    'article/update': 'changes the record. A published article is unpublished first and published again',
    'article/publish': '`com.atproto.repo.applyWrites`: a post with a link card, and `visibility: public`',
    'article/unpublish': '`com.atproto.repo.applyWrites`: deletes the post, and sets `visibility: author`',
    'article/delete': '`com.atproto.repo.applyWrites`: deletes the record and the post',
    'list/members': '`app.bsky.graph.getList`, then `app.bsky.actor.getProfiles`',
    'webhooks/create': '`app.bsky.notification.listNotifications`, which the adapter reads as an activity feed',
    'events/token': 'made by the gateway, without a request to the platform',
    events: '`app.bsky.notification.listNotifications`, which the adapter reads as an activity feed',
    'media/upload': '`com.atproto.repo.uploadBlob`. The adapter stores the reference to the blob for 24 hours',
  },
  eventTypes: ['tweet.mention', 'tweet.reply', 'tweet.quote', 'tweet.like', 'tweet.retweet', 'user.follow'],
  limits: {
    text: { unit: 'graphemes', length: 300, premiumLength: null, bytes: 3_000 },
    mediaBytes: { photo: 2_000_000, gif: 5_000_000, video: 100_000_000 },
  },
} satisfies PlatformCapabilities;
