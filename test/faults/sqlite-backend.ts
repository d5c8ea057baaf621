import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStore } from '../../src/main/open-store.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import type { Backend } from './backend.ts';
import { pause } from './gateway.ts';

const lockHolder = fileURLToPath(new URL('./lock-holder.mjs', import.meta.url));

/** Starts all gateways on one file, like several processes of one machine. */
export async function sqliteBackend(): Promise<Backend> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-faults-sqlite-'));
  const store = await openStore(readConfig({ DATA_DIR: dataDir }), systemRuntime);
  return {
    kind: 'sqlite',
    store,
    gatewayEnv: () => ({ DATA_DIR: dataDir }),
    async apply(fault) {
      if (fault.kind !== 'lock') throw new Error(`SQLite has no ${fault.kind}`);
      await holdLock(join(dataDir, 'postern.sqlite'), fault.ms, fault.killed);
    },
    async close() {
      await store.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

async function holdLock(path: string, ms: number, killed: boolean): Promise<void> {
  const holder: ChildProcess = spawn(process.execPath, [lockHolder, path, String(killed ? 60_000 : ms)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(holder, 'exit');
  if (killed && holder.stdout) {
    await once(holder.stdout, 'data');
    await pause(ms);
    holder.kill('SIGKILL');
  }
  await ended;
}
