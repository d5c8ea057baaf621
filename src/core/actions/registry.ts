import type { Action } from '../action.ts';
import { balance } from './account/balance.ts';
import { details } from './account/details.ts';
import { payments } from './account/payments.ts';
import { usage } from './account/usage.ts';
import { advancedSearch } from './tweet/advanced-search.ts';
import { createTweet } from './tweet/create.ts';
import { favorite } from './tweet/favorite.ts';
import { unlike } from './tweet/unlike.ts';
import { userInfo } from './user/info.ts';

/** Every action, in the order of the documents. A new one is a file in this folder and a line here. */
export const actions: readonly Action[] = [
  advancedSearch,
  createTweet,
  favorite,
  unlike,
  userInfo,
  details,
  balance,
  usage,
  payments,
];
