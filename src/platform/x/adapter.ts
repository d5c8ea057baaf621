import { type PlatformCapabilities, withoutMessages } from '../capabilities.ts';
import { Transport, type TransportOptions } from '../http/transport.ts';
import type { Platform, PlatformCall, PlatformIdentifiers, PlatformSession, PlatformSignIn } from '../port.ts';
import { xCapabilities } from './capabilities.ts';
import type { XClientOptions } from './client.ts';
import { xFeatures } from './features.ts';
import { type SessionParts, sessionParts } from './session-parts.ts';
import { type XApp, XSignIn } from './sign-in.ts';
import { readTweetUrl } from './tweet-url.ts';
import { XSession } from './writes.ts';

export type XPlatformOptions = Omit<TransportOptions, 'guarded'> &
  Omit<XClientOptions, 'transport' | 'features'> & {
    /** Default: those of X. */
    features?: XClientOptions['features'];
    identifiers: PlatformIdentifiers | null;
    /** The app to which users sign in; `null` if the operator has set up none. */
    app?: XApp | null;
    /** False if the operator has turned direct messages off. Default: true. */
    hasMessages?: boolean | undefined;
    /** Accepts key realms with a fast hash of PINs, for tests. Default: false. */
    allowsFastHashing?: boolean | undefined;
  };

/** The adapter for X's API v2: https://docs.x.com/x-api */
export class XPlatform implements Platform {
  readonly capabilities: PlatformCapabilities;
  readonly honoursTokens: boolean = false;
  readonly callersChooseServers = false;
  readonly maxWaitingCalls: number = 0;
  readonly quietActorsWait = false;
  readonly minPollMs: number = 5_000;
  readonly tweetUrlForm = 'https://x.com/<user>/status/<id>';
  readonly signIn: PlatformSignIn | undefined;
  protected readonly parts: SessionParts;
  readonly #transport: Transport;

  constructor(
    {
      features = xFeatures,
      identifiers: stored,
      app = null,
      hasMessages = true,
      allowsFastHashing = false,
      ...options
    }: XPlatformOptions,
    capabilities: PlatformCapabilities = xCapabilities,
  ) {
    this.capabilities = hasMessages ? capabilities : withoutMessages(capabilities);
    this.#transport = new Transport(options);
    this.signIn = app ? new XSignIn(this.#transport, new URL(options.origin).origin, app) : undefined;
    this.parts = sessionParts({
      ...options,
      transport: this.#transport,
      features,
      stored,
      hasMessages,
      allowsFastHashing,
    });
  }

  as(call: PlatformCall): PlatformSession {
    return new XSession(this.parts, call);
  }

  isTweetUrl(url: string): boolean {
    return readTweetUrl(url, this.parts.features.host) !== null;
  }

  appLimitsLeft(): Record<string, number> {
    return this.parts.client.appLimitsLeft();
  }

  ready(): Promise<void> {
    return this.parts.client.ping();
  }

  async close(): Promise<void> {
    await this.parts.juicebox.close();
    await this.#transport.close();
  }
}
