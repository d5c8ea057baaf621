import { acceptFollowRequest, addFollowers, mintAccounts } from '../control/accounts.ts';
import { makeEvents } from '../control/events.ts';
import { clearFaults, listFaults, setFault } from '../control/faults.ts';
import { makeMessages } from '../control/messages.ts';
import { controlOAuth } from '../control/oauth.ts';
import { controlInfo, controlStats, createdTweets, resetDataset, setRateLimit } from '../control/state.ts';
import type { Operation } from '../http/operation.ts';
import { oauth2Authorize, oauth2Consent } from '../oauth/authorize.ts';
import { oauth2Revoke, oauth2Token } from '../oauth/token.ts';
import { realmRequest } from './realms.ts';

/** All operations of the contract. */
export const operations: readonly Operation[] = [
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
