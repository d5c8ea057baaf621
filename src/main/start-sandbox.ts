import { join } from 'node:path';
import { startSandboxWorker, type WorkerSandbox } from '../sandbox/worker-host.ts';
import type { Config } from '../shared/config/config.ts';
import { makeDataDir } from './open-store.ts';

/** Starts the embedded sandbox. Returns `null` if the settings contain the URL of another one. */
export function startEmbeddedSandbox(config: Config, start = startSandboxWorker): Promise<WorkerSandbox> | null {
  if (config.platform.url !== null) return null;
  makeDataDir(config);
  const starting = start({ ...config.sandbox, dataDir: join(config.dataDir, 'sandbox') });
  // A start that fails before it is awaited must not cause an unhandled rejection.
  starting.catch(() => {});
  return starting;
}
