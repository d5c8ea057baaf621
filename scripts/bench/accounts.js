import { AccountAdmin } from '../../dist/billing/account-admin.js';
import { openStore } from '../../dist/main/open-store.js';
import { readConfig } from '../../dist/shared/config/config.js';
import { systemRuntime } from '../../dist/shared/runtime/runtime.js';

const micros = 1_000_000;

/** Creates accounts with credit in dollars and a key each in the store of these settings, which a gateway may be using. */
export async function makeAccounts(env, count, credit) {
  const store = await openStore(readConfig(env), systemRuntime);
  const admin = new AccountAdmin(store, systemRuntime);
  const accounts = [];
  for (let i = 1; i <= count; i++) {
    const id = await admin.createAccount(`Load ${i}`, credit * micros);
    const { key } = await admin.createKey(id, 'Load');
    accounts.push({ id, key: key.expose() });
  }
  await store.close();
  return accounts;
}
