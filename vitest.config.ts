import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Long faults, bursts and floods, the soak, browsers, the MongoDB store, the longest tests of processes, guides and the package, and the tests on
 * the AT Protocol's own servers, whose start alone takes a minute. `npm run test:all` runs them; `npm run check -- kills` runs the faults for longer.
 */
const onlyInAll = [
  'test/articles/{faults,heavy}.test.ts',
  'test/actions/interrupted-payment.test.ts',
  'test/api/rest/concurrency.test.ts',
  'test/api/server/{overload,unread-responses}.test.ts',
  'test/examples/graphql-examples.test.ts',
  'test/messaging/key-recovery/{encrypting-realms,realms-away}.test.ts',
  'test/cli/account-data.test.ts',
  'test/connections/{kills,life}.test.ts',
  'test/docs/{guides,pack}.test.ts',
  'test/media/memory.test.ts',
  'test/outbound/slow-names.test.ts',
  'test/processes/{database-away,recovery-killed,two-gateways}.test.ts',
  'test/sandbox/{crash,activity-crash,chats-crash,realms-crash}.test.ts',
  'test/browser/**',
  'test/soak/**',
  'test/security/command.test.ts',
  'test/platform/atproto/{articles,events,jetstream,native,network}.test.ts',
  'test/platform/*/parity.test.ts',
  'test/platform/x/costs.test.ts',
  'test/faults/{sqlite,mongodb,upgrade}.test.ts',
  'test/store/{embedded-disk,embedded-trouble,mongo,mongo-away,mongo-sessions}.test.ts',
  'test/webhooks/{event-limits,handshakes-at-once,held-messages,hostile-receivers,isolation,messages-mongodb}.test.ts',
  'test/webhooks/{pause-and-delete,platform-outage,store-away,stream-readers,survival}.test.ts',
];

/** The files that take longest. They begin first, because a run would otherwise end with one of them alone. */
const longest = [
  'test/docs/deployment.test.ts',
  'test/docs/guides.test.ts',
  'test/platform/atproto/parity.test.ts',
  'test/store/mongo-away.test.ts',
  'test/store/mongo.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longest.some((file) => moduleId.endsWith(file));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const source = join(import.meta.dirname, 'src') + sep;
const built = join(import.meta.dirname, 'dist') + sep;

/** Returns true if no source changed since the last build. */
function isBuilt(): boolean {
  const builtMs = statSync(join(built, '.stamps/modules'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const paths = readdirSync(source, { encoding: 'utf8', recursive: true });
  return paths.every((path) => statSync(join(source, path)).mtimeMs < builtMs);
}

/**
 * Loads the built modules instead of the sources, because Node loads them faster. Commands in the process of a test share them.
 * Tests of the client load its sources, because its bundle has its own copies of classes.
 */
const builtModules = {
  name: 'built-modules',
  enforce: 'pre' as const,
  resolveId(id: string, importer?: string) {
    if (!importer || !/^\..*\.ts$/.test(id) || /\/(test|src)\/client\//.test(importer)) return;
    const path = resolve(dirname(importer), id);
    if (!path.startsWith(source)) return;
    const file = built + path.slice(source.length, -'.ts'.length).concat('.js');
    return existsSync(file) ? { id: file, external: true } : undefined;
  },
};

// `vitest run` is `npm test`; `vitest run --mode all` is `npm run test:all`. `--mode security` is for scripts/security.ts, which names all files.
export default defineConfig(({ mode }) => ({
  plugins: process.argv.includes('run') && isBuilt() ? [builtModules] : [],
  // Packages load graphql as CommonJS. A second copy as a module would have other classes, and graphql-js refuses their objects.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    server: { deps: { external: [/\/dist\//] } },
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(mode === 'all' || mode === 'security' ? [] : onlyInAll)],
    globalSetup: ['test/support/shared-atproto-network.ts'],
    sequence: { sequencer: LongestFirst },
    env: { TEST_ALL: mode === 'all' ? '1' : '' },
    // A file that loads the service again needs a second of processor time for it.
    isolate: false,
    // Tests allocate much for a short time. With the default, a tenth of the processor time is garbage collection. Its helper threads
    // would only take processor time from the other workers.
    execArgv: ['--max-semi-space-size=32', '--single-threaded-gc'],
    // Limits end a test that hangs. No test may fail because the machine is slow.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 600_000 } },
    // Tests often wait for timers, so five workers finish sooner than two, even on two cores.
    maxWorkers: 5,
  },
}));
