import { maxWaitingCalls, Transport, type TransportOptions } from '../http/transport.ts';
import type { OnCost, Platform, PlatformCall, PlatformSession } from '../port.ts';
import { XClient } from '../x/client.ts';
import { Identifiers } from '../x/identifiers.ts';
import type { SessionParts } from '../x/session.ts';
import { readTweetUrl } from '../x/tweet-url.ts';
import { sandboxCapabilities } from './capabilities.ts';
import { SandboxSession } from './session.ts';

export interface SandboxPlatformOptions extends Omit<TransportOptions, 'guarded'> {
  origin: string;
  onCost?: OnCost;
}

/** The adapter for the sandbox platform. It uses the sandbox over HTTP only. */
export class SandboxPlatform implements Platform {
  readonly capabilities = sandboxCapabilities;
  readonly honoursTokens = true;
  readonly maxWaitingCalls = maxWaitingCalls;
  readonly callersChooseServers = false;
  readonly quietActorsWait = false;
  readonly minPollMs = 500;
  readonly tweetUrlForm = 'https://x.com/<user>/status/<id>';
  readonly #transport: Transport;
  readonly #parts: SessionParts;
  readonly #host: string;

  constructor(options: SandboxPlatformOptions) {
    const { origin, host } = new URL(options.origin);
    const { runtime, onCost } = options;
    this.#host = host;
    this.#transport = new Transport(options);
    const features = { extensions: true, host, pages: { url: origin, platformUrl: origin } };
    const client = new XClient({
      origin,
      transport: this.#transport,
      runtime,
      extensions: true,
      appToken: null,
      onCreditExhausted: () => {},
      onCost,
    });
    this.#parts = { client, features, runtime, identifiers: new Identifiers(client, runtime), stored: null };
  }

  as(call: PlatformCall): PlatformSession {
    return new SandboxSession(this.#parts, call);
  }

  isTweetUrl(url: string): boolean {
    return readTweetUrl(url, this.#host) !== null;
  }

  ready(): Promise<void> {
    return this.#parts.client.ping();
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}
