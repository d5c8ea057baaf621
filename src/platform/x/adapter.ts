import type { Secret } from '../../shared/secrets/secret.ts';
import type { AdapterOptions } from '../adapters.ts';
import { Transport } from '../http/transport.ts';
import type { Platform, PlatformCall, PlatformSession } from '../port.ts';
import type { AccountCaps } from './account-shares.ts';
import { xCapabilities } from './capabilities.ts';
import { xFeatures } from './features.ts';
import { type SessionParts, sessionParts } from './session.ts';
import { readTweetUrl } from './tweet-url.ts';
import { XSession } from './writes.ts';

/** The adapter for X's API v2: https://docs.x.com/x-api */
export class XPlatform implements Platform {
  readonly capabilities = xCapabilities;
  readonly honoursTokens = false;
  readonly callersChooseServers = false;
  readonly maxWaitingCalls = 0;
  readonly quietActorsWait = false;
  readonly minPollMs = 5_000;
  readonly tweetUrlForm = 'https://x.com/<user>/status/<id>';
  readonly #transport: Transport;
  readonly #parts: SessionParts;

  constructor({
    origin,
    runtime,
    proxies,
    timeoutMs,
    connections,
    onRequest,
    tracing = null,
    ...options
  }: AdapterOptions & { appToken: Secret | null; accountCaps: AccountCaps }) {
    const counter = connections.platform;
    this.#transport = new Transport({ runtime, proxies, timeoutMs, counter, onRequest, tracing });
    const { appToken, accountCaps, onCreditExhausted, onCost, onAppLimit, identifiers: stored } = options;
    const shared = { origin, transport: this.#transport, runtime, features: xFeatures };
    this.#parts = sessionParts({ ...shared, appToken, accountCaps, onCreditExhausted, onCost, onAppLimit, stored });
  }

  as(call: PlatformCall): PlatformSession {
    return new XSession(this.#parts, call);
  }

  isTweetUrl(url: string): boolean {
    return readTweetUrl(url) !== null;
  }

  ready(): Promise<void> {
    return this.#parts.client.ping();
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}
