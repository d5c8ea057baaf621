import { type AccountForm, accountForm } from '../control/mint-accounts.ts';
import type { Dataset } from '../dataset/dataset.ts';

/** The screen names of the accounts whose credentials are shown to new users. */
export const demoNames = ['ada', 'grace', 'linus'] as const;
export const DEMO_ORGANIZATION = 'tidewater_labs';

export interface SeedDemo {
  readonly accounts: readonly AccountForm[];
  readonly listId: string;
  readonly organization: string;
}

export function demoOf(dataset: Dataset, seed: string): SeedDemo {
  const accounts = demoNames.map((name) => {
    const user = dataset.userNamed(name);
    if (user === undefined) throw new Error(`the dataset lacks ${name}`);
    return accountForm(user, seed);
  });
  const [listId] = dataset.lists.keys();
  if (listId === undefined) throw new Error('the dataset lacks a list');
  return { accounts, listId, organization: DEMO_ORGANIZATION };
}
