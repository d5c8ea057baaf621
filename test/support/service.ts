import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AccountAdmin } from '../../src/billing/account-admin.ts';
import type { Overrides } from '../../src/main/app.ts';
import { openStore } from '../../src/main/open-store.ts';
import { serve } from '../../src/main/serve.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { type Environment, readConfig } from '../../src/shared/config/config.ts';
import { parseDollars } from '../../src/shared/model/money.ts';
import { makeLogger } from '../../src/shared/observability/logger.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { type Demo, readDemo } from './demo.ts';
import { patientRuntime } from './patient-runtime.ts';
import { SandboxControl } from './sandbox-control.ts';

// The service loads these when they are first needed. Vitest transforms sources while it loads them, so that a test on a busy machine would
// wait for them longer than a test may take.
import '../../src/api/graphql/http.ts';
import '../../src/api/mcp/http.ts';
import '../../src/store/sqlite/store.ts';
import { storeParent } from './temporary-folder.ts';

/** A service on free loopback ports with its own folder and a sandbox in the same thread. */
export interface TestService {
  origin: string;
  dataDir: string;
  demo: Demo;
  /** All log lines. */
  log: string[];
  /** Creates an account with this credit. Returns its id and a key. */
  makeAccount(dollars: string): Promise<{ id: string; key: string; keyId: string }>;
  revokeKey(id: string): Promise<void>;
  /** Adds credit and returns the id of the payment. */
  credit(account: string, dollars: string, description?: string): Promise<string>;
  /** Adds a fault to the sandbox (`POST /control/faults`). */
  addFault(fault: Record<string, unknown>, match?: Record<string, unknown>): Promise<void>;
  /** May be called again. */
  stop(): Promise<void>;
}

/** With the demo data of another service, `env` has a platform that is already running. */
export async function startService(
  env: Environment = {},
  { tasks, demo: given, ...overrides }: Overrides & { demo?: Demo } = {},
): Promise<TestService> {
  const dataDir = env['DATA_DIR'] ?? mkdtempSync(join(storeParent, 'postern-test-'));
  // The limit is high, because sandboxes share the thread with the service and block it for seconds when they start. Users of the sandbox
  // do nothing by themselves, because their events would come at any time.
  const relaxed = {
    MAX_EVENT_LOOP_DELAY_MS: '600000',
    MAX_REQUESTS_IN_FLIGHT: '100000',
    MAX_CONCURRENT_REQUESTS: '0',
    GRAPHQL_TIMEOUT_MS: '600000',
    FAILED_CALL_RATE_LIMIT: '0',
    SANDBOX_ACTIVITY: '0',
  };
  const config = readConfig({ PORT: '0', SANDBOX_PORT: '0', DATA_DIR: dataDir, ...relaxed, ...env });
  const log: string[] = [];
  const keep = (line: string) => {
    log.push(line);
    if (!line.includes('"level":50')) return;
    // The cause of a 500 would be lost with the log. .ci/run prints it beside the failed test.
    process.stderr.write(line);
    const file = process.env['TEST_ERRORS_FILE'];
    if (file) appendFileSync(file, line);
  };
  // Each process has one connection, as in production, because SQLite's locks belong to the process.
  const store = await openStore(config, overrides.runtime ?? systemRuntime);
  const service = await serve(config, {
    openStore: () => store,
    logger: makeLogger({ level: 'trace', format: 'json' }, { write: keep }),
    // The built file is used, because a worker thread cannot run TypeScript.
    tasks: { worker: new URL('../../dist/main/task-worker.js', import.meta.url), timeLimitMs: 600_000, ...tasks },
    startSandbox: async (options) => ({
      ...(await startSandbox({ ...options, pinHashing: 'FastInsecure' })),
      onExit: () => {},
    }),
    runtime: patientRuntime,
    allowsFastHashing: true,
    ...overrides,
  });
  const demo = given ?? readDemo(dataDir);
  const admin = new AccountAdmin(store, systemRuntime);
  const end = async () => {
    await service.stop();
    await store.close();
    if (env['DATA_DIR'] === undefined) rmSync(dataDir, { recursive: true });
  };
  let ending: Promise<void> | undefined;
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
    addFault: (fault, match) => new SandboxControl(demo.sandboxUrl).setFault({ fault, ...match }),
    stop() {
      ending ??= end();
      return ending;
    },
  };
}
