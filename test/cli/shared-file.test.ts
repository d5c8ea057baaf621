import { expect, onTestFinished, test } from 'vitest';
import { AccountAdmin } from '../../src/billing/account-admin.ts';
import { openStore } from '../../src/main/open-store.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { postern } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a process that opens the store twice loses no payment of the command line', async () => {
  const dataDir = temporaryFolder(onTestFinished);
  const config = readConfig({ DATA_DIR: dataDir });
  const store = await openStore(config, systemRuntime);
  const id = await new AccountAdmin(store, systemRuntime).createAccount('Shared', 0);
  const second = await openStore(config, systemRuntime);
  for (let i = 0; i < 3; i++) {
    expect((await postern(['account', 'credit', id, '1'], { DATA_DIR: dataDir })).code).toBe(0);
  }
  expect(await store.ledger.balance(id)).toMatchObject({ paid: 3_000_000, avail: 3_000_000 });
  await second.close();
  await store.close();
});
