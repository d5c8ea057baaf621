import { clearFaults, listFaults, setFault } from '../control/faults.ts';
import { controlInfo } from '../control/info.ts';
import { mintAccounts } from '../control/mint-accounts.ts';
import { resetWorld } from '../control/reset.ts';
import { controlStats, createdTweets } from '../control/stats.ts';
import type { Operation } from '../http/operation.ts';
import { createTweet } from './create-tweet.ts';
import { likeTweet, unlikeTweet } from './likes.ts';
import { ping } from './ping.ts';
import { searchTweets } from './search.ts';
import { tweetById } from './tweets.ts';
import { me, userById, userByScreenName } from './users.ts';

/** Every operation of the written contract. */
export const operations: readonly Operation[] = [
  ping,
  me,
  userById,
  userByScreenName,
  searchTweets,
  createTweet,
  tweetById,
  likeTweet,
  unlikeTweet,
  controlInfo,
  setFault,
  listFaults,
  clearFaults,
  mintAccounts,
  resetWorld,
  controlStats,
  createdTweets,
];
