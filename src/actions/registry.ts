import { audit } from './account/audit.ts';
import { balance } from './account/balance.ts';
import { capabilities } from './account/capabilities.ts';
import { details, updateAccount } from './account/details.ts';
import { createKey, listKeys, revokeKey } from './account/keys.ts';
import { payments } from './account/payments.ts';
import { usage } from './account/usage.ts';
import { accountWebhooks } from './account/webhooks.ts';
import type { Action } from './action.ts';
import { createArticle } from './article/create.ts';
import { deleteArticle } from './article/delete.ts';
import { articleDetail } from './article/detail.ts';
import { listArticles } from './article/list.ts';
import { publishArticle } from './article/publish.ts';
import { unpublishArticle } from './article/unpublish.ts';
import { updateArticle } from './article/update.ts';
import {
  connectionDetail,
  createConnection,
  deleteConnection,
  listConnections,
  reconnect,
} from './connection/connections.ts';
import { dmDelete } from './dm/delete.ts';
import { dmEdit } from './dm/edit.ts';
import { dmEnroll } from './dm/enroll.ts';
import { dmList } from './dm/list.ts';
import { dmMessages } from './dm/messages.ts';
import { dmReact, dmUnreact } from './dm/react.ts';
import { dmSend } from './dm/send.ts';
import { dmSendMedia } from './dm/send-media.ts';
import { listMembers } from './list/members.ts';
import { uploadMedia } from './media/upload.ts';
import { advancedSearch } from './tweet/advanced-search.ts';
import { bookmark } from './tweet/bookmark.ts';
import { createTweet } from './tweet/create.ts';
import { deleteTweet } from './tweet/delete.ts';
import { tweetDetail } from './tweet/detail.ts';
import { favorite } from './tweet/favorite.ts';
import { tweetLookup } from './tweet/lookup.ts';
import { tweetQuotes } from './tweet/quotes.ts';
import { tweetLikers, tweetRetweeters } from './tweet/reactors.ts';
import { tweetReplies } from './tweet/replies.ts';
import { retweet } from './tweet/retweet.ts';
import { unbookmark } from './tweet/unbookmark.ts';
import { unlike } from './tweet/unlike.ts';
import { unretweet } from './tweet/unretweet.ts';
import { about } from './user/about.ts';
import { affiliates } from './user/affiliates.ts';
import { articlesTweets } from './user/articles-tweets.ts';
import { bookmarks } from './user/bookmarks.ts';
import { followers } from './user/followers.ts';
import { followersYouKnow } from './user/followers-you-know.ts';
import { following } from './user/following.ts';
import { homeTimeline } from './user/home-timeline.ts';
import { userInfo } from './user/info.ts';
import { userLikes } from './user/likes.ts';
import { userLookup } from './user/lookup.ts';
import { me } from './user/me.ts';
import { mentions } from './user/mentions.ts';
import { block, follow, mute, unblock, unfollow, unmute } from './user/relations.ts';
import { searchUsers } from './user/search.ts';
import { tweetsAndReplies } from './user/tweets-and-replies.ts';
import { createWebhook } from './webhook/create.ts';
import { deleteWebhook } from './webhook/delete.ts';
import { webhookDeliveries } from './webhook/deliveries.ts';
import { webhookDelivery } from './webhook/delivery.ts';
import { webhookDetail } from './webhook/detail.ts';
import { listWebhooks } from './webhook/list.ts';
import { replayEvents } from './webhook/replay.ts';
import { resendDelivery } from './webhook/resend.ts';
import { rotateWebhookSecret } from './webhook/rotate-secret.ts';
import { eventStream } from './webhook/stream.ts';
import { eventToken } from './webhook/stream-token.ts';
import { testWebhook } from './webhook/test.ts';
import { updateWebhook } from './webhook/update.ts';
import { validateWebhook } from './webhook/validate.ts';

/** All actions, in the order of the documents. To add an action, create a file in this folder and add a line here. */
export const actions: readonly Action[] = [
  advancedSearch,
  tweetDetail,
  tweetLookup,
  tweetReplies,
  tweetQuotes,
  tweetRetweeters,
  tweetLikers,
  createTweet,
  deleteTweet,
  favorite,
  unlike,
  bookmark,
  unbookmark,
  retweet,
  unretweet,
  homeTimeline,
  mentions,
  me,
  userInfo,
  userLookup,
  searchUsers,
  about,
  tweetsAndReplies,
  articlesTweets,
  userLikes,
  followers,
  following,
  followersYouKnow,
  affiliates,
  follow,
  unfollow,
  block,
  unblock,
  mute,
  unmute,
  bookmarks,
  listMembers,
  uploadMedia,
  createArticle,
  articleDetail,
  listArticles,
  updateArticle,
  publishArticle,
  unpublishArticle,
  deleteArticle,
  dmList,
  dmMessages,
  dmSend,
  dmSendMedia,
  dmEdit,
  dmDelete,
  dmReact,
  dmUnreact,
  dmEnroll,
  createWebhook,
  listWebhooks,
  webhookDetail,
  validateWebhook,
  updateWebhook,
  testWebhook,
  rotateWebhookSecret,
  webhookDeliveries,
  webhookDelivery,
  resendDelivery,
  replayEvents,
  deleteWebhook,
  createConnection,
  listConnections,
  connectionDetail,
  reconnect,
  deleteConnection,
  capabilities,
  details,
  updateAccount,
  balance,
  usage,
  payments,
  listKeys,
  createKey,
  revokeKey,
  audit,
  accountWebhooks,
  eventToken,
];

/** All actions of `kind: 'stream'`. */
export const streams: readonly Action[] = [eventStream];
