import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountAdmin } from '../../src/billing/account-admin.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { type PosternProcess, startPostern } from '../support/process.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import type { Backend } from './backend.ts';
import { type Caller, callOn } from './callers.ts';
import { Gateway, pause } from './gateway.ts';
import type { Books } from './invariants.ts';
import { callOnWithKeys } from './keyed-callers.ts';
import { chance, type Fault } from './schedule.ts';
import { Tally } from './tally.ts';

export const gatewayCount = 2;
const callersOfEachKind = 4;
const credit = 100_000_000_000;

/** Gateways that share a store, a sandbox without faults, and callers. */
export class FaultEnvironment {
  readonly backend: Backend;
  readonly gateways: readonly Gateway[];
  readonly sandbox: SandboxControl;
  readonly books: readonly Books[];
  readonly counts = new Map<Fault['kind'], number>();
  readonly #sandboxProcess: PosternProcess;
  readonly #sandboxDir: string;
  /** Faults of the same target run one after the other. */
  readonly #queues = new Map<string, Promise<void>>();
  #calling: Promise<unknown> = Promise.resolve();
  #homeTime = false;

  private constructor(backend: Backend, parts: { process: PosternProcess; dir: string; url: string; books: Books[] }) {
    this.backend = backend;
    this.#sandboxProcess = parts.process;
    this.#sandboxDir = parts.dir;
    this.sandbox = new SandboxControl(parts.url);
    this.books = parts.books;
    this.gateways = Array.from(
      { length: gatewayCount },
      (_, gateway) =>
        new Gateway({
          PORT: '0',
          PLATFORM_URL: parts.url,
          PLATFORM_KIND: 'sandbox',
          LOG_LEVEL: 'error',
          RATE_LIMIT: '0',
          ...backend.gatewayEnv(gateway),
        }),
    );
  }

  static async start(backend: Backend, seed: string): Promise<FaultEnvironment> {
    const dir = mkdtempSync(join(tmpdir(), 'postern-faults-sandbox-'));
    const sandbox = startPostern(['sandbox'], { DATA_DIR: dir, SANDBOX_PORT: '0' });
    const [, url = ''] = await sandbox.printed(/listening on (\S+)/);
    const admin = new AccountAdmin(backend.store, systemRuntime);
    const books: Books[] = [];
    const keys: string[] = [];
    for (const name of ['plain', 'keyed']) {
      const account = await admin.createAccount(name, credit);
      keys.push((await admin.createKey(account, 'Key')).key.expose());
      books.push({ name, account, tally: new Tally(), exact: name === 'keyed' });
    }
    const fixture = new FaultEnvironment(backend, { process: sandbox, dir, url, books });
    await Promise.all(fixture.gateways.map((gateway) => gateway.ready()));
    await fixture.#sendCallers(seed, keys);
    return fixture;
  }

  async #sendCallers(seed: string, keys: readonly string[]): Promise<void> {
    const work: Promise<void>[] = [];
    for (const [kind, { name, tally }] of this.books.entries()) {
      for (let i = 0; i < callersOfEachKind; i++) {
        const caller: Caller = {
          gateways: this.gateways,
          key: keys[kind] ?? '',
          authToken: (await this.sandbox.mint()).authToken,
          tally,
          random: chance(seed, `${name} caller ${i}`),
          done: () => this.#homeTime,
        };
        work.push((name === 'plain' ? callOn : callOnWithKeys)(caller, `${name}-caller-${i}`));
      }
    }
    this.#calling = Promise.all(work);
    // The rejection is handled by the code that waits for the callers.
    this.#calling.catch(() => {});
  }

  /** Applies a fault after earlier faults of the same target. Resolves when it is over. */
  apply(fault: Fault): Promise<void> {
    this.counts.set(fault.kind, (this.counts.get(fault.kind) ?? 0) + 1);
    const thing = 'gateway' in fault ? `gateway ${fault.gateway}` : thingOf(fault);
    const done = (this.#queues.get(thing) ?? Promise.resolve()).then(() => this.#do(fault));
    this.#queues.set(thing, done);
    return done;
  }

  async #do(fault: Fault): Promise<void> {
    if (!('gateway' in fault)) return this.backend.apply(fault);
    const gateway = this.gateways[fault.gateway];
    if (fault.kind === 'kill') return gateway?.kill(fault.clockMs);
    gateway?.stopInItsTracks();
    await pause(fault.ms);
    gateway?.goOn();
  }

  /** Stops the callers. Resolves when each caller knows all outcomes that it can know. */
  sendHome(): Promise<unknown> {
    this.#homeTime = true;
    return this.#calling;
  }

  async stop(): Promise<void> {
    this.#homeTime = true;
    await Promise.allSettled(this.#queues.values());
    await Promise.all(this.gateways.map((gateway) => gateway.stop()));
    await this.#calling.catch(() => {});
    await this.#sandboxProcess.end('SIGTERM');
    rmSync(this.#sandboxDir, { recursive: true });
    await this.backend.close();
  }
}

function thingOf({ kind }: Fault): string {
  return kind.endsWith('-database') || kind === 'lock' ? 'database' : 'network';
}
