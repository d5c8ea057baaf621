import { afterAll } from 'vitest';
import { openStore } from '../../src/main/open-store.ts';
import { serve } from '../../src/main/serve.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { freePort } from './mongo-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * Starts a service for the AT Protocol for the tests of a file, and stops it after them. It has no demo credentials, and its platform
 * refuses connections.
 */
export async function useUnreachablePlatform() {
  const platformHost = `127.0.0.1:${await freePort()}`;
  const config = readConfig({
    PORT: '0',
    DATA_DIR: temporaryFolder(),
    LOG_LEVEL: 'silent',
    MAX_EVENT_LOOP_DELAY_MS: '600000',
    MAX_REQUESTS_IN_FLIGHT: '100000',
    MAX_CONCURRENT_REQUESTS: '0',
    PLATFORM_KIND: 'atproto',
    PLATFORM_URL: `http://${platformHost}`,
  });
  const store = await openStore(config, systemRuntime);
  const service = await serve(config, { openStore: () => store });
  afterAll(async () => {
    await service.stop();
    await store.close();
  });
  return { origin: service.origin, platformHost };
}
