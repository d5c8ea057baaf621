import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Demo } from '../../src/api/demo/demo.ts';
import { AccountAdmin } from '../../src/billing/account-admin.ts';
import type { Overrides } from '../../src/main/app.ts';
import { openStore } from '../../src/main/open-store.ts';
import { serve } from '../../src/main/serve.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { type Environment, readConfig } from '../../src/shared/config/config.ts';
import { parseDollars } from '../../src/shared/model/money.ts';
import { makeLogger } from '../../src/shared/observability/logger.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';

/** A service on free ports of loopback with a folder of its own, the sandbox in the test's own thread. */
export interface TestService {
  origin: string;
  dataDir: string;
  demo: Demo;
  /** Every line that was logged. */
  log: string[];
  /** An account of its own with this much credit: its id and a key. */
  makeAccount(dollars: string): Promise<{ id: string; key: string; keyId: string }>;
  revokeKey(id: string): Promise<void>;
  /** Pays credit in, as an operator does; answers the payment's id. */
  credit(account: string, dollars: string, description?: string): Promise<string>;
  /** Makes the sandbox fail as its contract says (`POST /control/faults`). */
  addFault(fault: Record<string, unknown>, match?: Record<string, unknown>): Promise<void>;
  stop(): Promise<void>;
}

export async function startService(
  env: Environment = {},
  { tasks, ...overrides }: Overrides = {},
): Promise<TestService> {
  const dataDir = env['DATA_DIR'] ?? mkdtempSync(join(tmpdir(), 'postern-test-'));
  // Sandboxes share the thread with the service here, and block it for seconds when they start on a busy machine.
  const relaxed = { MAX_EVENT_LOOP_DELAY_MS: '600000' };
  const config = readConfig({ PORT: '0', SANDBOX_PORT: '0', DATA_DIR: dataDir, ...relaxed, ...env });
  const log: string[] = [];
  // One connection a process, as in production: SQLite's locks belong to the process, not to the connection.
  const store = await openStore(config, systemRuntime);
  const service = await serve(config, {
    openStore: () => store,
    logger: makeLogger({ level: 'trace', format: 'json' }, { write: (line) => void log.push(line) }),
    // A thread cannot run TypeScript.
    tasks: { worker: new URL('../../dist/main/task-worker.js', import.meta.url), ...tasks },
    startSandbox: async (options) => ({ ...(await startSandbox(options)), onExit: () => {} }),
    ...overrides,
  });
  const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo;
  const admin = new AccountAdmin(store, systemRuntime);
  return {
    origin: service.origin,
    dataDir,
    demo,
    log,
    async makeAccount(dollars) {
      const id = await admin.createAccount('Test', parseDollars(dollars) ?? 0);
      const { id: keyId, key } = await admin.createKey(id, 'Test key');
      return { id, key: key.expose(), keyId };
    },
    async revokeKey(id) {
      await admin.revokeKey(id);
    },
    credit: (account, dollars, description = 'Credit') =>
      admin.credit(account, parseDollars(dollars) ?? 0, description),
    async addFault(fault, match = {}) {
      const response = await fetch(`${demo.sandboxUrl}/control/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ fault, ...match }),
      });
      if (response.status !== 201) throw new Error(`the sandbox refused the fault: ${await response.text()}`);
    },
    async stop() {
      await service.stop();
      await store.close();
      if (env['DATA_DIR'] === undefined) rmSync(dataDir, { recursive: true });
    },
  };
}
