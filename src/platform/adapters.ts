import type { OutgoingConnections } from '../outbound/connection-limiter.ts';
import type { OutboundGuard } from '../outbound/guard.ts';
import type { ProxyPool } from '../outbound/proxy-pool.ts';
import type { Config } from '../shared/config/config.ts';
import type { PlatformKind } from '../shared/config/settings.ts';
import type { Tracing } from '../shared/observability/tracing.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import { atprotoCapabilities } from './atproto/capabilities.ts';
import type { PlatformCapabilities } from './capabilities.ts';
import type { CredentialResolver, OnCost, Platform, PlatformIdentifiers, PlatformState } from './port.ts';
import { sandboxCapabilities } from './sandbox/capabilities.ts';
import { xCapabilities } from './x/capabilities.ts';

export interface AdapterOptions {
  /** The origin of the platform. */
  origin: string;
  timeoutMs: number;
  runtime: Runtime;
  proxies: ProxyPool;
  /** Checks the addresses that come from callers and from the documents of their accounts. */
  guard: OutboundGuard;
  connections: OutgoingConnections;
  secretKeys: readonly Secret<Buffer>[];
  /** Encrypted records that all processes share. */
  state: PlatformState;
  /** The logins of connections. Default: there are none. */
  logins?: CredentialResolver;
  /** Identifiers that do not fit into an id, which all processes share. */
  identifiers: PlatformIdentifiers;
  /** Called when the platform refuses a call because the operator's credit there is used up. */
  onCreditExhausted: () => void;
  onCost?: OnCost;
  /** Called after each request, for metrics. */
  onRequest: (operation: string, outcome: string, durationMs: number) => void;
  /** Records each request as a span; `null` if no traces are exported. */
  tracing?: Tracing | null;
  /** Accepts key realms with a fast hash of PINs, for tests. */
  allowsFastHashing?: boolean | undefined;
}

export interface Adapter {
  readonly capabilities: PlatformCapabilities;
  /** The settings are for those of single adapters. */
  open(options: AdapterOptions, settings: Config): Promise<Platform>;
  /** A path of the platform and the status of its response without credentials, for `postern doctor`. */
  readonly ping: { readonly path: string; readonly status: number };
}

/** The adapters by `PLATFORM_KIND`. The code of an adapter is loaded only if it is used. */
export const adapters: Readonly<Record<PlatformKind, Adapter>> = {
  sandbox: {
    capabilities: sandboxCapabilities,
    ping: { path: '/2/users/me', status: 401 },
    open: async ({ connections, ...options }, { platform: { hasMessages, hidesPages } }) => {
      const { SandboxPlatform } = await import('./sandbox/adapter.ts');
      return new SandboxPlatform({ ...options, counter: connections.platform, isOwn: true, hasMessages, hidesPages });
    },
  },
  atproto: {
    capabilities: atprotoCapabilities,
    ping: { path: '/xrpc/com.atproto.server.describeServer', status: 200 },
    open: async (options, { platform: { plcUrl, jetstreamUrl } }) => {
      const { AtprotoPlatform } = await import('./atproto/adapter.ts');
      return new AtprotoPlatform({ ...options, plcUrl, jetstreamUrl });
    },
  },
  x: {
    capabilities: xCapabilities,
    ping: { path: '/2/users/me', status: 401 },
    open: async (
      { connections, ...options },
      { secrets: { xAppToken: appToken, xApp: app }, platform: { accountCaps, hasMessages } },
    ) => {
      const { XPlatform } = await import('./x/adapter.ts');
      return new XPlatform({ ...options, counter: connections.platform, app, appToken, accountCaps, hasMessages });
    },
  },
};
