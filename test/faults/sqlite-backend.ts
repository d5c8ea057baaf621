import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStore } from '../../src/main/open-store.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import type { Store } from '../../src/store/port.ts';
import { type Backend, type BackendOptions, fillFor } from './backend.ts';
import { GatewayClock, pause } from './gateway.ts';

const lockHolder = fileURLToPath(new URL('./lock-holder.mjs', import.meta.url));

/** Starts all gateways on one file, like several processes of one machine. */
export async function sqliteBackend({ disk }: BackendOptions = {}): Promise<Backend> {
  const dataDir = mkdtempSync(join(disk?.path ?? tmpdir(), 'postern-faults-sqlite-'));
  const clock = new GatewayClock();
  let store: Promise<Store> | undefined;
  return {
    kind: 'sqlite',
    store() {
      store ??= openStore(readConfig({ DATA_DIR: dataDir }), systemRuntime);
      return store;
    },
    gatewayEnv: () => ({ DATA_DIR: dataDir }),
    gatewayClock: () => clock,
    hasClock: false,
    async apply(fault) {
      if (fault.kind === 'disk-full') return fillFor(disk, fault.ms);
      if (fault.kind !== 'lock') throw new Error(`SQLite has no ${fault.kind}`);
      await holdLock(join(dataDir, 'postern.sqlite'), fault.ms, fault.killed);
    },
    async close() {
      await (await store)?.close();
      clock.remove();
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
