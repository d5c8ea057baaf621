import { setTimeout as sleep } from 'node:timers/promises';
import { AccountAdmin } from '../../src/billing/account-admin.ts';
import { openStore } from '../../src/main/open-store.ts';
import { type Environment, readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { StoreUnavailableError } from '../../src/store/port.ts';

const micros = 1_000_000;
const maxTries = 20;
const pauseMs = 500;

/** Creates accounts with credit in dollars and a key each in the store of these settings, which a gateway may be using. */
export async function makeAccounts(
  env: Environment,
  count: number,
  credit: number,
): Promise<{ id: string; key: string }[]> {
  const store = await whenAvailable(() => openStore(readConfig(env), systemRuntime));
  const admin = new AccountAdmin(store, systemRuntime);
  const accounts: { id: string; key: string }[] = [];
  for (let i = 1; i <= count; i++) {
    const id = await whenAvailable(() => admin.createAccount(`Load ${i}`, credit * micros));
    const { key } = await whenAvailable(() => admin.createKey(id, 'Load'));
    accounts.push({ id, key: key.expose() });
  }
  await store.close();
  return accounts;
}

/** Repeats a call while a slow machine exceeds the time limits of the store. A repeated creation may leave an account that is not used. */
async function whenAvailable<Result>(call: () => Result | Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || tries === maxTries) throw error;
      await sleep(pauseMs);
    }
  }
}
