import type { AccountAdmin } from '../billing/account-admin.ts';
import { readConfig } from '../shared/config/config.ts';
import { systemRuntime } from '../shared/runtime/runtime.ts';
import type { Store } from '../store/port.ts';
import { CliError } from './print.ts';

/** Opens the store for one command and closes it afterwards, also after an error. A running service may have the store open too. */
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
  const { AccountAdmin, NoSuchAccountError } = await import('../billing/account-admin.ts');
  try {
    return await withStore((store) => work(new AccountAdmin(store, systemRuntime)));
  } catch (error) {
    if (error instanceof NoSuchAccountError) throw new CliError(`${error.message}. \`postern account list\` shows all`);
    throw error;
  }
}
