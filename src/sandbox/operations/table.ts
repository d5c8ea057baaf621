import { makeEvents } from '../control/events.ts';
import { clearFaults, listFaults, setFault } from '../control/faults.ts';
import { acceptFollowRequest } from '../control/follow-requests.ts';
import { addFollowers } from '../control/followers.ts';
import { controlInfo } from '../control/info.ts';
import { makeMessages } from '../control/messages.ts';
import { mintAccounts } from '../control/mint-accounts.ts';
import { controlOAuth } from '../control/oauth.ts';
import { setRateLimit } from '../control/rate-limit.ts';
import { resetDataset } from '../control/reset.ts';
import { controlStats, createdTweets } from '../control/stats.ts';
import type { Operation } from '../http/operation.ts';
import { oauth2Authorize, oauth2Consent } from '../oauth/authorize.ts';
import { oauth2Revoke, oauth2Token } from '../oauth/token.ts';
import { activity } from './activity.ts';
import { realmRequest } from './realms.ts';

/** All operations of the contract. */
export const operations: readonly Operation[] = [
  activity,
  realmRequest,
  controlInfo,
  setFault,
  listFaults,
  clearFaults,
  mintAccounts,
  acceptFollowRequest,
  addFollowers,
  makeEvents,
  makeMessages,
  setRateLimit,
  controlOAuth,
  oauth2Authorize,
  oauth2Consent,
  oauth2Token,
  oauth2Revoke,
  resetDataset,
  controlStats,
  createdTweets,
];
