import { secretKeyFault } from '../../main/open-secret-keys.ts';
import { openStore } from '../../main/open-store.ts';
import { readConfig } from '../../shared/config/config.ts';
import type { Fault } from '../../shared/errors/operator-error.ts';
import { systemRuntime } from '../../shared/runtime/runtime.ts';
import { readSecretKeyFile } from '../../shared/secrets/secret-key-file.ts';
import type { Store, StoreReport } from '../../store/port.ts';
import { faultOf } from './finding.ts';

/** A message of the probe after each step, so that a timeout can report how far the probe came. */
export type ProbeMessage =
  | { readonly step: 'opened'; readonly kind: string; readonly aheadMs: number }
  | { readonly step: 'written' }
  | { readonly step: 'inspected'; readonly report: StoreReport }
  /** Returns why the configured SECRET_KEY does not fit the store, or `null` if it fits. */
  | { readonly step: 'secret_key'; readonly fault: Fault | null }
  | { readonly step: 'failed'; readonly fault: Fault };

/**
 * The program of the process in which the doctor checks the store. SQLite's calls block while a disk hangs, and only a process
 * can be ended during such a call.
 */
async function probe(): Promise<void> {
  const store = await open();
  await tell({ step: 'opened', kind: store.kind, aheadMs: store.now() - Date.now() });
  await attempt(async () => {
    await store.ready();
    return { step: 'written' };
  });
  await attempt(async () => ({ step: 'secret_key', fault: await keyFault(store) }));
  await attempt(async () => ({ step: 'inspected', report: await store.inspect() }));
  await store.close();
}

async function open(): Promise<Store> {
  const config = readConfig(process.env);
  const { mongodbUrl } = config.secrets;
  if (mongodbUrl === null) return openStore(config, systemRuntime);
  // Not with `openStore`, because it creates DATA_DIR and the doctor must not write.
  const { openMongoStore } = await import('../../store/mongo/store.ts');
  return openMongoStore({ url: mongodbUrl.expose() });
}

/** Returns why the key does not fit the store. Another check reports a key file that cannot be read. */
async function keyFault(store: Store): Promise<Fault | null> {
  const config = readConfig(process.env);
  try {
    if (config.secrets.secretKeys === null) readSecretKeyFile(config.dataDir);
  } catch {
    return null;
  }
  return secretKeyFault(config, store.secretCheck, systemRuntime);
}

async function attempt(step: () => Promise<ProbeMessage>): Promise<void> {
  try {
    await tell(await step());
  } catch (error) {
    await tell({ step: 'failed', fault: faultOf(error) });
  }
}

function tell(message: ProbeMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

try {
  await probe();
} catch (error) {
  await tell({ step: 'failed', fault: faultOf(error) });
}
process.exit();
