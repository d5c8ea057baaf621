import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/main/open-store.ts';
import { serve } from '../../src/main/serve.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { freePort } from './mongo-server.ts';

/** Starts a service for the AT Protocol, which has no demo credentials. Its platform refuses connections. */
export async function startWithUnreachablePlatform() {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'));
  const platformHost = `127.0.0.1:${await freePort()}`;
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    MAX_EVENT_LOOP_DELAY_MS: '600000',
    MAX_REQUESTS_IN_FLIGHT: '100000',
    MAX_CONCURRENT_REQUESTS: '0',
    PLATFORM_KIND: 'atproto',
    PLATFORM_URL: `http://${platformHost}`,
  });
  const store = await openStore(config, systemRuntime);
  const service = await serve(config, { openStore: () => store });
  return {
    origin: service.origin,
    platformHost,
    async stop() {
      await service.stop();
      await store.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}
