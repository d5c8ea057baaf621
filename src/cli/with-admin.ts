import type { AccountAdmin } from '../billing/account-admin.ts';
import { readConfig } from '../config/config.ts';
import { systemRuntime } from '../runtime/runtime.ts';
import { CliError } from './cli-error.ts';

/** Opens the store for one command (a running service may have it open too), and closes it whatever happens. */
export async function withAdmin<T>(work: (admin: AccountAdmin) => Promise<T>): Promise<T> {
  const [{ openStore }, { AccountAdmin, NoSuchAccountError }] = await Promise.all([
    import('../open-store.ts'),
    import('../billing/account-admin.ts'),
  ]);
  const store = await openStore(readConfig(process.env), systemRuntime);
  try {
    return await work(new AccountAdmin(store, systemRuntime));
  } catch (error) {
    if (error instanceof NoSuchAccountError) throw new CliError(`${error.message}. \`postern account list\` shows all`);
    throw error;
  } finally {
    await store.close();
  }
}
