import { maxWaitingCalls } from '../http/transport.ts';
import type { Platform, PlatformCall, PlatformSession } from '../port.ts';
import { sandboxCapabilities } from './capabilities.ts';
import { type ClientOptions, SandboxClient } from './client.ts';
import { SandboxSession } from './session.ts';
import { readTweetUrl } from './tweet-url.ts';

/** The adapter for the sandbox platform. It uses the sandbox over HTTP only. */
export class SandboxPlatform implements Platform {
  readonly capabilities = sandboxCapabilities;
  readonly honoursTokens = true;
  readonly maxWaitingCalls = maxWaitingCalls;
  readonly callersChooseServers = false;
  readonly quietActorsWait = false;
  readonly minPollMs = 500;
  readonly tweetUrlForm = 'https://x.com/<user>/status/<id>';
  readonly #client: SandboxClient;
  readonly #host: string;

  constructor(options: ClientOptions) {
    this.#host = new URL(options.origin).host;
    this.#client = new SandboxClient(options);
  }

  as(call: PlatformCall): PlatformSession {
    return new SandboxSession(this.#client, call, (url) => readTweetUrl(url, this.#host));
  }

  isTweetUrl(url: string): boolean {
    return readTweetUrl(url, this.#host) !== null;
  }

  async ready(): Promise<void> {
    await this.#client.send({ operation: 'ping', method: 'GET', path: '/api/ping' }, null, () => undefined);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
