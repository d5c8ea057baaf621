import { audit, balance, details, payments, updateAccount, usage } from './account/account.ts';
import { capabilities } from './account/capabilities.ts';
import { createKey, listKeys, revokeKey } from './account/keys.ts';
import type { Action } from './action.ts';
import { createArticle } from './article/create.ts';
import { articleDetail, listArticles } from './article/read.ts';
import { deleteArticle, publishArticle, unpublishArticle } from './article/states.ts';
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
import { createTweet } from './tweet/create.ts';
import { tweetDetail, tweetLookup } from './tweet/lookup.ts';
import { bookmark, deleteTweet, favorite, retweet, unbookmark, unlike, unretweet } from './tweet/tweet-interaction.ts';
import { tweetLikers, tweetQuotes, tweetReplies, tweetRetweeters } from './tweet/tweet-lists.ts';
import { followersYouKnow } from './user/followers-you-know.ts';
import { bookmarks, homeTimeline, mentions } from './user/own-tweets.ts';
import { about, me, userInfo, userLookup } from './user/profiles.ts';
import { block, follow, mute, unblock, unfollow, unmute } from './user/relations.ts';
import { searchUsers } from './user/search.ts';
import { affiliates, articlesTweets, followers, following, tweetsAndReplies, userLikes } from './user/user-lists.ts';
import { createWebhook } from './webhook/create.ts';
import { resendDelivery, webhookDeliveries, webhookDelivery } from './webhook/deliveries.ts';
import { accountWebhooks, listWebhooks } from './webhook/list.ts';
import { replayEvents } from './webhook/replay.ts';
import { eventStream } from './webhook/stream.ts';
import { eventToken } from './webhook/stream-token.ts';
import { updateWebhook } from './webhook/update.ts';
import { validateWebhook } from './webhook/validate.ts';
import { deleteWebhook, rotateWebhookSecret, testWebhook, webhookDetail } from './webhook/webhooks.ts';

/** All actions, in the order of the documents. To add an action, declare it in a folder of its group and add a line here. */
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
