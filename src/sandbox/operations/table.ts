import { makeEvents } from '../control/events.ts';
import { clearFaults, listFaults, setFault } from '../control/faults.ts';
import { acceptFollowRequest } from '../control/follow-requests.ts';
import { controlInfo } from '../control/info.ts';
import { makeMessages } from '../control/messages.ts';
import { mintAccounts } from '../control/mint-accounts.ts';
import { setRateLimit } from '../control/rate-limit.ts';
import { resetDataset } from '../control/reset.ts';
import { controlStats, createdTweets } from '../control/stats.ts';
import type { Operation } from '../http/operation.ts';
import { about } from './about.ts';
import { activity } from './activity.ts';
import { mediaById, setArticleContent, setArticleCover, setArticleTitle } from './article-edits.ts';
import { publishArticle, unpublishArticle } from './article-publishing.ts';
import { articleById, articles, createArticle, deleteArticle } from './articles.ts';
import { bookmarks, bookmarkTweet, unbookmarkTweet } from './bookmarks.ts';
import { chatOperations } from './chat/table.ts';
import { createTweet } from './create-tweet.ts';
import { deleteTweet } from './delete-tweet.ts';
import { followUser, unfollowUser } from './follow.ts';
import { home } from './home.ts';
import { likeTweet, unlikeTweet } from './likes.ts';
import { listMembers } from './list-members.ts';
import { mentions } from './mentions.ts';
import { ping } from './ping.ts';
import { guessAtRealm, realmState, registerAtRealm, unlockAtRealm } from './realms.ts';
import { quotes, replies } from './replies.ts';
import { retweeters, retweetTweet, unretweetTweet } from './retweets.ts';
import { searchTweets } from './search.ts';
import { searchUsers } from './search-users.ts';
import { tweetById } from './tweets.ts';
import { uploadMedia } from './upload-media.ts';
import { affiliates, followers, following, knownFollowers } from './user-lists.ts';
import { userArticles, userTweets } from './user-tweets.ts';
import { me, userById, userByScreenName } from './users.ts';

/** Every operation of the written contract. */
export const operations: readonly Operation[] = [
  ping,
  me,
  userById,
  userByScreenName,
  ...about,
  ...followers,
  ...following,
  ...knownFollowers,
  ...affiliates,
  ...userTweets,
  ...userArticles,
  ...followUser,
  ...unfollowUser,
  listMembers,
  home,
  activity,
  bookmarks,
  mentions,
  searchTweets,
  searchUsers,
  uploadMedia,
  createTweet,
  tweetById,
  deleteTweet,
  replies,
  quotes,
  retweeters,
  likeTweet,
  unlikeTweet,
  retweetTweet,
  unretweetTweet,
  bookmarkTweet,
  unbookmarkTweet,
  ...chatOperations,
  realmState,
  registerAtRealm,
  guessAtRealm,
  unlockAtRealm,
  articles,
  createArticle,
  articleById,
  deleteArticle,
  setArticleTitle,
  setArticleContent,
  setArticleCover,
  publishArticle,
  unpublishArticle,
  mediaById,
  controlInfo,
  setFault,
  listFaults,
  clearFaults,
  mintAccounts,
  acceptFollowRequest,
  makeEvents,
  makeMessages,
  setRateLimit,
  resetDataset,
  controlStats,
  createdTweets,
];
