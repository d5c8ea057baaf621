import { openStore } from '../../src/main/open-store.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { type Runtime, systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { atEnd } from './at-end.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Opens an empty embedded store, which closes with the test. A service that gets `env` uses the same store. */
export async function useStore(runtime: Runtime = systemRuntime) {
  const env = { DATA_DIR: temporaryFolder() };
  const store = await openStore(readConfig(env), runtime);
  atEnd(() => store.close());
  return { store, env };
}
