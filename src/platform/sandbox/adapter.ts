import { maxWaitingCalls, Transport, type TransportOptions } from '../http/transport.ts';
import type { OnCost, Platform, PlatformCall, PlatformSession } from '../port.ts';
import { type SessionParts, sessionParts } from '../x/session.ts';
import { readTweetUrl } from '../x/tweet-url.ts';
import { sandboxCapabilities } from './capabilities.ts';
import { SandboxClient } from './client.ts';
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
  readonly #client: SandboxClient;
  readonly #parts: SessionParts;
  readonly #host: string;

  constructor(options: SandboxPlatformOptions) {
    const { origin, host } = new URL(options.origin);
    const { runtime, onCost } = options;
    this.#host = host;
    this.#transport = new Transport(options);
    this.#client = new SandboxClient(origin, this.#transport);
    const features = { extensions: true, host, pages: { url: origin, platformUrl: origin } };
    const shared = { origin, transport: this.#transport, runtime, features };
    this.#parts = sessionParts({ ...shared, appToken: null, onCreditExhausted: () => {}, onCost, stored: null });
  }

  as(call: PlatformCall): PlatformSession {
    return new SandboxSession(this.#parts, this.#client, call);
  }

  isTweetUrl(url: string): boolean {
    return readTweetUrl(url, this.#host) !== null;
  }

  async ready(): Promise<void> {
    await this.#client.send({ operation: 'ping', method: 'GET', path: '/api/ping' }, null, () => undefined);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}
