import type { SharedData } from './parity-platform.ts';

/** What the fixture makes for one caller. */
export type OwnThing =
  | 'ownTweet'
  | 'ownArticle'
  | 'ownWebhook'
  | 'ownEvent'
  | 'ownApiKey'
  | 'ownConnection'
  | 'receiverUrl'
  | 'otherUser'
  | 'otherUserId'
  | 'ownConversation'
  | 'ownMessage';

export type Need = keyof SharedData | OwnThing;

type Needs = Readonly<Record<string, Need>>;

const each = (needs: Needs, ...names: readonly string[]) => names.map((name) => [name, needs] as const);
const ofMessage = { conversation_id: 'ownConversation', seq_id: 'ownMessage' } as const;

/** The input fields of each action that name an existing thing, and the thing that they name. */
export const needs: Readonly<Record<string, Needs>> = Object.fromEntries([
  ...each({ q: 'tweetSearch' }, 'tweet/advanced_search'),
  ...each({ tweet_id: 'discussedTweet' }, 'tweet/detail', 'tweet/replies', 'tweet/quotes', 'tweet/retweeters'),
  ...each({ tweet_id: 'discussedTweet' }, 'tweet/likers'),
  ...each({ ids: 'discussedTweet' }, 'tweet/lookup'),
  ...each({ userNames: 'knownUser' }, 'user/lookup'),
  ...each({ tweet_id: 'ownTweet' }, 'tweet/delete', 'tweet/favorite', 'tweet/unlike', 'tweet/bookmark'),
  ...each({ tweet_id: 'ownTweet' }, 'tweet/unbookmark', 'tweet/retweet', 'tweet/unretweet'),
  ...each({ q: 'userSearch' }, 'user/search'),
  ...each({ userName: 'knownUser' }, 'user/info', 'user/user_about', 'user/tweets_and_replies'),
  ...each({ userName: 'knownUser' }, 'user/followers', 'user/following'),
  ...each({ user_name: 'knownUser' }, 'user/followers_you_know'),
  ...each({ userName: 'articleAuthor' }, 'user/articles_tweets'),
  ...each({ userName: 'likingUser' }, 'user/likes'),
  ...each({ userName: 'organization' }, 'user/affiliates'),
  ...each({ username: 'otherUser' }, 'user/follow', 'user/unfollow', 'user/block', 'user/unblock'),
  ...each({ username: 'otherUser' }, 'user/mute', 'user/unmute'),
  ...each({ listId: 'list' }, 'list/members'),
  ...each({ article_id: 'ownArticle' }, 'article/detail', 'article/update', 'article/publish', 'article/unpublish'),
  ...each({ article_id: 'ownArticle' }, 'article/delete'),
  ...each({ conversation_id: 'readersConversation' }, 'dm/messages'),
  ...each({ user_id: 'otherUserId' }, 'dm/send'),
  ...each({ conversation_id: 'ownConversation' }, 'dm/send_media'),
  ...each(ofMessage, 'dm/edit', 'dm/delete', 'dm/react', 'dm/unreact'),
  ...each({ id: 'ownApiKey' }, 'account/keys/revoke'),
  ...each({ id: 'ownConnection' }, 'connections/detail', 'connections/reconnect', 'connections/delete'),
  ...each({ url: 'receiverUrl' }, 'webhooks/create'),
  ...each({ id: 'ownWebhook' }, 'webhooks/detail', 'webhooks/validate', 'webhooks/update', 'webhooks/test'),
  ...each({ id: 'ownWebhook' }, 'webhooks/rotate-secret', 'webhooks/deliveries', 'webhooks/delete'),
  ...each({ id: 'ownWebhook', event_id: 'ownEvent' }, 'webhooks/delivery', 'webhooks/resend'),
]);
