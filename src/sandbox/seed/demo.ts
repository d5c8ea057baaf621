import type { Dataset } from '../dataset/dataset.ts';
import type { User } from '../dataset/types.ts';
import { appTokenFor, encryptionCodeFor } from './credentials.ts';

/** The screen names of the accounts whose credentials are shown to new users. */
export const demoNames = ['ada', 'grace', 'linus'] as const;
export const DEMO_ORGANIZATION = 'tidewater_labs';

export interface SeedDemo {
  readonly accounts: readonly AccountForm[];
  /** The app-only token. */
  readonly appToken: string;
  readonly listId: string;
  readonly organization: string;
}

export function demoOf(dataset: Dataset, seed: string): SeedDemo {
  const accounts = demoNames.map((name) => {
    const user = dataset.userNamed(name);
    if (user === undefined) throw new Error(`the dataset lacks ${name}`);
    return accountForm(user, dataset, seed);
  });
  const [listId] = dataset.lists.keys();
  if (listId === undefined) throw new Error('the dataset lacks a list');
  return { accounts, appToken: appTokenFor(seed), listId, organization: DEMO_ORGANIZATION };
}

/** The credentials and properties of an account, as control responses contain them. */
export interface AccountForm {
  readonly userName: string;
  readonly userId: string;
  readonly name: string;
  /** Empty if the user has none. */
  readonly profilePicture: string;
  readonly authToken: string;
  readonly encryptionCode: string;
  readonly premium: boolean;
}

export function accountForm(user: User, { origin }: Dataset, seed: string): AccountForm {
  return {
    userName: user.screenName,
    userId: user.id,
    name: user.name,
    profilePicture: user.avatar === null ? '' : origin + user.avatar,
    authToken: user.token ?? '',
    encryptionCode: user.chatLabel === null ? '' : encryptionCodeFor(seed, user.chatLabel),
    premium: user.premium,
  };
}
