import type { Platform, PlatformCall, PlatformSession } from '../port.ts';
import { type ClientOptions, SandboxClient } from './client.ts';
import { SandboxSession } from './session.ts';

/** The sandbox platform, reached only over HTTP as any other platform would be. */
export class SandboxPlatform implements Platform {
  readonly kind = 'sandbox';
  readonly honoursTokens = true;
  readonly #client: SandboxClient;

  constructor(options: ClientOptions) {
    this.#client = new SandboxClient(options);
  }

  as(call: PlatformCall): PlatformSession {
    return new SandboxSession(this.#client, call);
  }

  async ready(): Promise<void> {
    await this.#client.send({ operation: 'ping', method: 'GET', path: '/api/ping' }, null, () => undefined);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
