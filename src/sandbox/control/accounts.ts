import type { Dataset } from '../dataset/dataset.ts';
import { type MintedAccount, mintedLabel } from '../dataset/entries.ts';
import { activeUser, activeUserNamed } from '../dataset/visibility.ts';
import { optionalBoolean, optionalInteger, optionalString, requiredInteger, requiredString } from '../fields.ts';
import { control } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { json } from '../http/response.ts';
import { badRequest, notFound } from '../refusal.ts';
import { mintedIdFor, tokenFor } from '../seed/credentials.ts';
import { accountForm } from '../seed/demo.ts';

export const mintAccounts = control('mintAccounts', 'POST', '/control/accounts', ({ platform, body }) => {
  const count = optionalInteger(body, 'count', 1, 10_000) ?? 1;
  const premium = optionalBoolean(body, 'premium') ?? false;
  const chatKeys = optionalBoolean(body, 'chatKeys') ?? true;
  const isProtected = optionalBoolean(body, 'protected') ?? false;
  const userNames = namesFor(platform.dataset, optionalString(body, 'userName'), count);
  // Credentials derive from the number of the account, so every run with the same seed creates the same credentials.
  const accounts = userNames.map((userName, index): MintedAccount => {
    const number = platform.dataset.minted + index;
    return {
      id: mintedIdFor(platform.seed, String(number)),
      userName,
      name: userName,
      token: tokenFor(platform.seed, mintedLabel(number)),
      premium,
      protected: isProtected,
      ...(!chatKeys && { chatKeys }),
    };
  });
  platform.commit({ kind: 'accounts', accounts, at: platform.now() });
  const users = accounts.map(({ token }) => platform.dataset.userByToken(token)).filter((user) => user !== undefined);
  return json({ accounts: users.map((user) => accountForm(user, platform.dataset, platform.seed)) }, 201);
});

function namesFor(dataset: Dataset, wanted: string | undefined, count: number): string[] {
  if (wanted !== undefined && !/^[A-Za-z0-9_]{1,15}$/.test(wanted)) {
    throw badRequest('userName', 'userName must be 1 to 15 letters, digits and underscores');
  }
  if (wanted !== undefined && count === 1) {
    if (dataset.userNamed(wanted) !== undefined) {
      throw new Problem(409, 'name_taken', `The screen name ${wanted} is taken`, { field: 'userName' });
    }
    return [wanted];
  }
  const base = (wanted ?? 'guest').slice(0, 8);
  const names: string[] = [];
  for (let number = dataset.minted + 1; names.length < count; number++) {
    const name = `${base}${number}`;
    if (dataset.userNamed(name) === undefined) names.push(name);
  }
  return names;
}

const MAX_FOLLOWERS = 20_000;

export const addFollowers = control('addFollowers', 'POST', '/control/followers', ({ platform, body }) => {
  const user = activeUserNamed(platform.dataset, requiredString(body, 'userName'));
  const count = requiredInteger(body, 'count', 1, MAX_FOLLOWERS);
  platform.commit({ kind: 'followers', user: user.id, count, at: platform.now() });
  return json({ followers: user.followers.size }, 201);
});

/** Accepts a follow request on behalf of a protected user. */
export const acceptFollowRequest = control(
  'acceptFollowRequest',
  'POST',
  '/control/follow-requests/accept',
  ({ platform, body }) => {
    const target = userOf(platform.dataset, requiredString(body, 'target'));
    const follower = userOf(platform.dataset, requiredString(body, 'follower'));
    if (!follower.requested.has(target)) throw notFound('follow_request', follower.id);
    platform.commit({ kind: 'follow', user: follower.id, target: target.id, at: platform.now() });
    return json({ target: target.id, follower: follower.id, accepted: true });
  },
);

/** Finds a user by id or by screen name. Ids take precedence, because a screen name may consist of digits only. */
function userOf(dataset: Dataset, asked: string) {
  return activeUser(dataset.users.get(asked) ?? dataset.userNamed(asked), asked);
}
