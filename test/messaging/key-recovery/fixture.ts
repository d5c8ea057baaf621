import {
  ChatKeyService,
  type KeyOwner,
  type KeySession,
} from '../../../src/messaging/key-recovery/chat-key-service.ts';
import { OutboundGuard } from '../../../src/outbound/guard.ts';
import type { ForwardProxy } from '../../../src/outbound/proxy.ts';
import { ProxyPool } from '../../../src/outbound/proxy-pool.ts';
import { SandboxPlatform } from '../../../src/platform/sandbox/adapter.ts';
import { PosternError } from '../../../src/shared/errors/postern-error.ts';
import { type Runtime, systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import type { Account, OpenSandbox } from '../../sandbox/harness.ts';
import { atEnd } from '../../support/at-end.ts';
import { patientRuntime } from '../../support/patient-runtime.ts';

/** A sandbox, the platform adapter, and a clock that can be advanced. Everything ends with the test. */
export class KeyRecoveryFixture {
  readonly sandbox: OpenSandbox;
  readonly runtime: Runtime;
  readonly #platform: SandboxPlatform;
  #shiftMs = 0;

  constructor(sandbox: OpenSandbox, origin = sandbox.url) {
    this.sandbox = sandbox;
    this.runtime = { ...patientRuntime, now: () => Date.now() + this.#shiftMs };
    const guard = new OutboundGuard({ allow: ['127.0.0.1/32'], runtime: systemRuntime });
    const proxies = new ProxyPool({ guard, runtime: patientRuntime, maxResponseBytes: 65_536, timeoutMs: 1_000 });
    const options = { origin, timeoutMs: 60_000, runtime: patientRuntime, proxies, allowsFastHashing: true };
    this.#platform = new SandboxPlatform(options);
    atEnd(() => proxies.close());
    atEnd(() => this.#platform.close());
  }

  /** Returns the service of another gateway, or of the same gateway after a restart. */
  keys(): ChatKeyService {
    const keys = new ChatKeyService({ runtime: this.runtime });
    atEnd(() => keys.close());
    return keys;
  }

  /** The session belongs to a call whose caller has disconnected. A guess must still be completed. */
  session({ authToken }: Account, proxy: ForwardProxy | null = null): KeySession {
    const call = {
      account: 'acc',
      authToken: new Secret(authToken),
      proxy,
      signal: AbortSignal.abort(),
      tokenFor: () => 'unused',
    };
    return this.#platform.as(call);
  }

  holder({ authToken }: Account, account = 'acc'): KeyOwner {
    return { account, authToken: new Secret(authToken), proxy: null };
  }

  recover(keys: ChatKeyService, who: Account, code = who.encryptionCode, account?: string) {
    return keys.recover(this.session(who), this.holder(who, account), new Secret(code));
  }

  enroll(keys: ChatKeyService, who: Account, code: string, isReplacing = false) {
    return keys.enroll(this.session(who), this.holder(who), new Secret(code), isReplacing);
  }

  /** Returns `ok`, or the status and the message of the error. */
  async outcome(keys: ChatKeyService, who: Account, code = who.encryptionCode, account?: string): Promise<string> {
    return outcomeOf(this.recover(keys, who, code, account));
  }

  pass(ms: number): void {
    this.#shiftMs += ms;
  }

  /** Returns the number of calls of an operation at the realms while `run` ran. */
  async asked<T>(operation: string, run: () => Promise<T>): Promise<[T, number]> {
    const count = async () => (await this.sandbox.call('GET', '/control/stats')).body.requests[operation] ?? 0;
    const before = await count();
    const result = await run();
    return [result, (await count()) - before];
  }
}

export async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    if (error instanceof PosternError) return `${error.status} ${error.message}`;
    throw error;
  }
}
