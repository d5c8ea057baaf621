import type { Dataset } from '../dataset/dataset.ts';
import { type MintedAccount, mintedLabel } from '../dataset/entries.ts';
import { optionalBoolean, optionalInteger, optionalString } from '../fields.ts';
import { closedObject, jsonBody, jsonResponse, ref } from '../http/contract.ts';
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
  contract: {
    summary: 'Creates accounts with tokens. They follow nobody, and survive a restart.',
    body: jsonBody(
      {
        type: 'object',
        properties: {
          userName: {
            type: 'string',
            pattern: '^[A-Za-z0-9_]{1,15}$',
            description:
              'The screen name, or the prefix of the names if `count` is above 1. A name that exists is `name_taken` 409.',
          },
          premium: { type: 'boolean', default: false },
          protected: { type: 'boolean', default: false },
          chatKeys: {
            type: 'boolean',
            default: true,
            description:
              'If false, the accounts have no chat keys until they enroll, and `encryptionCode` is a suggestion.',
          },
          count: { type: 'integer', minimum: 1, maximum: 10000, default: 1 },
        },
      },
      { userName: 'newcomer', premium: true },
    ),
    responses: {
      201: jsonResponse('The accounts.', closedObject({ accounts: { type: 'array', items: ref('Account') } })),
    },
  },
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
    return json({ accounts: users.map((user) => accountForm(user, platform.seed)) }, 201);
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
