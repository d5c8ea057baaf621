import { join } from 'node:path';
import { startSandboxWorker, type WorkerSandbox } from '../sandbox/worker-host.ts';
import type { Config } from '../shared/config/config.ts';

/** Starts the platform that comes with the gateway; `null` where the settings name another. */
export function startSandbox(config: Config, start = startSandboxWorker): Promise<WorkerSandbox> | null {
  if (config.platform.url !== null) return null;
  const starting = start({ ...config.sandbox, dataDir: join(config.dataDir, 'sandbox') });
  // It may fail while nobody waits for it yet; whoever does later is told.
  starting.catch(() => {});
  return starting;
}
