import type { AccountAdmin } from '../billing/account-admin.ts';
import { readConfig } from '../shared/config/config.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import { systemRuntime } from '../shared/runtime/runtime.ts';
import type { Store } from '../store/port.ts';
import { failureOf } from './exit-codes.ts';
import { CliError } from './print.ts';

/**
 * Opens the store for one command and closes it afterwards, even after an error. A running service may have the store open at the same
 * time.
 */
export async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const { openStore } = await import('../main/open-store.ts');
  const store = await openStore(readConfig(process.env), systemRuntime);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export async function withAdmin<T>(work: (admin: AccountAdmin) => Promise<T>): Promise<T> {
  const { AccountAdmin } = await import('../billing/account-admin.ts');
  return explainNoAccount(() => withStore((store) => work(new AccountAdmin(store, systemRuntime))));
}

/** Converts errors of `work` that the user of the command line can correct. */
export async function explainNoAccount<T>(work: () => Promise<T>): Promise<T> {
  const { NoSuchAccountError } = await import('../billing/account-admin.ts');
  try {
    return await work();
  } catch (error) {
    if (error instanceof NoSuchAccountError) {
      throw new CliError(`${error.message}. \`postern account list\` shows all`, 'not_found');
    }
    if (error instanceof PosternError) throw new CliError(error.message, failureOf(error.code));
    throw error;
  }
}
