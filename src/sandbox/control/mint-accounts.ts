import type { Dataset } from '../dataset/dataset.ts';
import { type MintedAccount, mintedLabel } from '../dataset/entries.ts';
import { optionalBoolean, optionalInteger, optionalString } from '../fields.ts';
import type { ControlOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { json } from '../http/response.ts';
import { badRequest } from '../refusal.ts';
import { mintedIdFor, tokenFor } from '../seed/credentials.ts';
import { accountForm } from '../seed/demo.ts';

export const mintAccounts: ControlOperation = {
  id: 'mintAccounts',
  method: 'POST',
  path: '/control/accounts',
  access: 'control',
  handle({ platform, body }) {
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
  },
};

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
