import { join } from 'node:path';
import { startSandboxWorker, type WorkerSandbox } from '../sandbox/worker-host.ts';
import type { Config } from '../shared/config/config.ts';

/** Starts the built-in sandbox platform. Returns `null` if the settings name another platform. */
export function startSandbox(config: Config, start = startSandboxWorker): Promise<WorkerSandbox> | null {
  if (config.platform.url !== null) return null;
  const starting = start({ ...config.sandbox, dataDir: join(config.dataDir, 'sandbox') });
  // A start that fails before anybody awaits it must not be an unhandled rejection.
  starting.catch(() => {});
  return starting;
}
