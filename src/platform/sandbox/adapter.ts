import { isLoopbackHostHeader } from '../../shared/model/loopback.ts';
import type { Platform, PlatformCall, PlatformSession } from '../port.ts';
import { type ClientOptions, SandboxClient } from './client.ts';
import { SandboxSession } from './session.ts';

/** The sandbox stands in for the public platform and accepts the addresses of the public platform's tweets. */
const publicHost = /^(?:(?:www|mobile|m)\.)?(?:x|twitter)\.com$/;

/** Connects to the sandbox platform. All access is over HTTP, as with any other platform. */
export class SandboxPlatform implements Platform {
  readonly kind = 'sandbox';
  readonly honoursTokens = true;
  readonly #client: SandboxClient;
  readonly #host: string;

  constructor(options: ClientOptions) {
    this.#host = new URL(options.origin).host;
    this.#client = new SandboxClient(options);
  }

  as(call: PlatformCall): PlatformSession {
    return new SandboxSession(this.#client, call);
  }

  /** The sandbox writes loopback addresses into its responses, even if the gateway reaches it by another address. */
  isTweetHost(host: string): boolean {
    return host === this.#host || isLoopbackHostHeader(host) || publicHost.test(host);
  }

  async ready(): Promise<void> {
    await this.#client.send({ operation: 'ping', method: 'GET', path: '/api/ping' }, null, () => undefined);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
