import { OutgoingConnections } from '../../../src/outbound/connection-limiter.ts';
import { OutboundGuard } from '../../../src/outbound/guard.ts';
import { ProxyPool } from '../../../src/outbound/proxy-pool.ts';
import { AtprotoPlatform } from '../../../src/platform/atproto/adapter.ts';
import type { PlatformSession } from '../../../src/platform/port.ts';
import type { Runtime } from '../../../src/shared/runtime/runtime.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import { atEnd } from '../../support/at-end.ts';

interface Network {
  pdsUrl: string;
  plcUrl: string;
  jetstreamUrl: string | null;
}

/** Returns a session of an adapter without a store, which closes with the test. */
export function sessionOf({ pdsUrl, plcUrl, jetstreamUrl }: Network, token: string, runtime: Runtime): PlatformSession {
  const guard = new OutboundGuard({ allow: [], runtime });
  const proxies = new ProxyPool({ guard, runtime, maxResponseBytes: 1_024, timeoutMs: 1_000 });
  const platform = new AtprotoPlatform({
    origin: pdsUrl,
    plcUrl,
    jetstreamUrl,
    runtime,
    guard,
    proxies,
    timeoutMs: 30_000,
    connections: new OutgoingConnections(),
    secretKeys: [new Secret(Buffer.alloc(32, 1))],
    state: { read: async () => null, write: async (_key, sealed) => sealed },
    identifiers: { find: async () => null, save: async () => {} },
    onCreditExhausted: () => {},
    onRequest: () => {},
  });
  atEnd(async () => {
    await platform.close();
    await proxies.close();
  });
  const call = { account: 'acc', proxy: null, signal: null, tokenFor: () => '' };
  return platform.as({ ...call, authToken: new Secret(token) });
}
