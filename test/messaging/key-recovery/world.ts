import { afterAll, beforeAll } from 'vitest';
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
import { type Account, type OpenSandbox, openSandbox } from '../../sandbox/harness.ts';

/** A real sandbox behind a real adapter, and a clock that can be put forward. */
export class KeyWorld {
  readonly sandbox: OpenSandbox;
  readonly runtime: Runtime;
  readonly #closers: (() => unknown)[] = [];
  readonly #platform: SandboxPlatform;
  #shiftMs = 0;

  constructor(sandbox: OpenSandbox) {
    this.sandbox = sandbox;
    this.runtime = { ...systemRuntime, now: () => Date.now() + this.#shiftMs };
    const guard = new OutboundGuard({ allow: ['127.0.0.1/32'], runtime: systemRuntime });
    const proxies = new ProxyPool({ guard, runtime: systemRuntime, maxResponseBytes: 1_024, timeoutMs: 1_000 });
    this.#platform = new SandboxPlatform({ origin: sandbox.url, timeoutMs: 8_000, runtime: systemRuntime, proxies });
    this.#closers.push(
      () => sandbox.close(),
      () => proxies.close(),
      () => this.#platform.close(),
    );
  }

  /** A gateway's own: another one is another process, or the same after a restart. */
  keys(): ChatKeyService {
    const keys = new ChatKeyService({ runtime: this.runtime });
    this.#closers.push(() => keys.close());
    return keys;
  }

  /** Of a call that its caller has hung up on, which a guess must survive. */
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

  /** What it comes to: `ok`, or status and message. */
  async outcome(keys: ChatKeyService, who: Account, code = who.encryptionCode, account?: string): Promise<string> {
    return told(this.recover(keys, who, code, account));
  }

  pass(ms: number): void {
    this.#shiftMs += ms;
  }

  /** How often the realms were asked for a step while `run` ran. */
  async asked<T>(operation: string, run: () => Promise<T>): Promise<[T, number]> {
    const count = async () => (await this.sandbox.call('GET', '/control/stats')).body.requests[operation] ?? 0;
    const before = await count();
    const result = await run();
    return [result, (await count()) - before];
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
  }
}

export async function told(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    if (error instanceof PosternError) return `${error.status} ${error.message}`;
    throw error;
  }
}

/** One world for a test file. */
export function keyWorld(): { readonly world: KeyWorld } {
  let world: KeyWorld | undefined;
  beforeAll(async () => {
    world = new KeyWorld(await openSandbox());
  });
  afterAll(() => world?.close());
  return {
    get world() {
      if (world === undefined) throw new Error('the world is not open yet');
      return world;
    },
  };
}
