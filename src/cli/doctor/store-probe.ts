import { secretKeyProblem } from '../../main/open-secret-keys.ts';
import { openStore } from '../../main/open-store.ts';
import { readConfig } from '../../shared/config/config.ts';
import type { OperatorProblem } from '../../shared/errors/operator-error.ts';
import { systemRuntime } from '../../shared/runtime/runtime.ts';
import { readSecretKeyFile } from '../../shared/secrets/secret-key-file.ts';
import type { Store, StoreReport } from '../../store/port.ts';
import { problemOf } from './finding.ts';

/** A message that the probe sends after each step, so that a timeout can report the probe's progress. */
export type ProbeMessage =
  | { readonly step: 'opened'; readonly kind: string; readonly aheadMs: number }
  | { readonly step: 'written' }
  | { readonly step: 'inspected'; readonly report: StoreReport }
  /** The reason why the configured SECRET_KEY does not fit the store; `null` if it fits. */
  | { readonly step: 'secret_key'; readonly problem: OperatorProblem | null }
  | { readonly step: 'failed'; readonly problem: OperatorProblem };

/**
 * The main function of the process in which the doctor checks the store. SQLite's calls block while a disk hangs, and only a separate
 * process can be killed during such a call.
 */
async function probe(): Promise<void> {
  const store = await open();
  await tell({ step: 'opened', kind: store.kind, aheadMs: store.now() - Date.now() });
  await attempt(async () => {
    await store.ready();
    return { step: 'written' };
  });
  await attempt(async () => ({ step: 'secret_key', problem: await keyProblem(store) }));
  await attempt(async () => ({ step: 'inspected', report: await store.inspect() }));
  await store.close();
}

async function open(): Promise<Store> {
  const config = readConfig(process.env);
  const { mongodbUrl } = config.secrets;
  if (mongodbUrl === null) return openStore(config, systemRuntime);
  // `openStore` is not used here, because it creates DATA_DIR and the doctor must not write.
  const { openMongoStore } = await import('../../store/mongo/store.ts');
  return openMongoStore({ url: mongodbUrl.expose() });
}

/** Returns the reason why the key does not fit the store. An unreadable key file is reported by another check. */
async function keyProblem(store: Store): Promise<OperatorProblem | null> {
  const config = readConfig(process.env);
  try {
    if (config.secrets.secretKeys === null) readSecretKeyFile(config.dataDir);
  } catch {
    return null;
  }
  return secretKeyProblem(config, store.secretCheck, systemRuntime);
}

async function attempt(step: () => Promise<ProbeMessage>): Promise<void> {
  try {
    await tell(await step());
  } catch (error) {
    await tell({ step: 'failed', problem: problemOf(error) });
  }
}

function tell(message: ProbeMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

try {
  await probe();
} catch (error) {
  await tell({ step: 'failed', problem: problemOf(error) });
}
// A connection that hangs would keep the process alive.
process.exit();
