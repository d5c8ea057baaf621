import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { xCapabilities } from '../../../src/platform/x/capabilities.ts';
import { compareApis } from '../../api/graphql/parity-checks.ts';
import { ParityFixture } from '../../api/graphql/parity-fixture.ts';
import { startSandboxParity } from '../../api/graphql/parity-sandbox.ts';
import { startService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A gateway to the sandbox as a server of X's API, without its extensions. */
async function startXParity(): Promise<ParityFixture> {
  const { platform: sandbox, receiver } = await startSandboxParity();
  const { demo } = sandbox.service;
  const [, user] = demo.accounts;
  if (!user) throw new Error('the dataset has one account only');
  const DATA_DIR = temporaryFolder();
  writeFileSync(join(DATA_DIR, 'demo.json'), JSON.stringify(demo));
  const gateway = await startService({ DATA_DIR, PLATFORM_KIND: 'x', PLATFORM_URL: demo.sandboxUrl });
  const { key: payerKey } = await gateway.makeAccount('1');
  return new ParityFixture(
    {
      ...sandbox,
      payerKey,
      baseUrl: `${gateway.origin}/v1`,
      graphqlUrl: `${gateway.origin}/graphql`,
      supports: (action) => !(action in xCapabilities.unsupported),
      makeAccount: gateway.makeAccount,
      newActors: async () => ({ actor: sandbox.reader, user }),
      async stop() {
        await gateway.stop();
        await sandbox.stop();
      },
    },
    receiver,
  );
}

describe('on the adapter for X', () => compareApis(startXParity));
