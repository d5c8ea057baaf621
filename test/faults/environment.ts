import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountAdmin } from '../../src/billing/account-admin.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { type PosternProcess, startPostern } from '../support/process.ts';
import type { TestReceiver } from '../support/receiver.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { arrivals, startReceivers, type Watched, watch } from '../webhooks/survival.ts';
import type { Backend } from './backend.ts';
import { type Caller, callOn } from './callers.ts';
import { Gateway, pause } from './gateway.ts';
import type { Books } from './invariants.ts';
import { callOnWithKeys } from './keyed-callers.ts';
import { chance, type Fault } from './schedule.ts';
import { Tally } from './tally.ts';

const callersOfEachKind = 4;
const webhooks = 4;
/** The maximum number of events of a webhook that have not arrived yet. */
const eventsOnTheirWay = 20;
const credit = 100_000_000_000;
const firstSuccessMs = 900_000;

export interface FaultEnvironmentOptions {
  backend: Backend;
  seed: string;
  gateways: number;
  /** The file of the version of Postern that the gateways run at first. The default is this version. */
  program?: string | undefined;
}

/** Gateways that share a store, a sandbox without faults, callers, and webhooks with events. */
export class FaultEnvironment {
  readonly backend: Backend;
  readonly gateways: readonly Gateway[];
  readonly sandbox: SandboxControl;
  readonly books: readonly Books[];
  readonly counts = new Map<Fault['kind'], number>();
  /** The webhooks. Their receivers work without faults. */
  watched: readonly Watched[] = [];
  /** A caller of its own account, which sends nothing by itself. */
  readonly probe: Omit<Caller, 'gateways'>;
  readonly #seed: string;
  readonly #sandboxProcess: PosternProcess;
  readonly #sandboxDir: string;
  /** Faults of the same target run one after the other. */
  readonly #queues = new Map<string, Promise<void>>();
  #receivers: readonly TestReceiver[] = [];
  #calling: Promise<unknown> = Promise.resolve();
  #homeTime = false;

  private constructor(
    { backend, seed, gateways, program }: FaultEnvironmentOptions,
    parts: { process: PosternProcess; dir: string; url: string; books: Books[]; probe: Omit<Caller, 'gateways'> },
  ) {
    this.backend = backend;
    this.#seed = seed;
    this.#sandboxProcess = parts.process;
    this.#sandboxDir = parts.dir;
    this.sandbox = new SandboxControl(parts.url);
    this.books = parts.books;
    this.probe = parts.probe;
    const env = {
      PORT: '0',
      PLATFORM_URL: parts.url,
      PLATFORM_KIND: 'sandbox',
      LOG_LEVEL: 'error',
      RATE_LIMIT: '0',
      FAILED_CALL_RATE_LIMIT: '0',
    };
    this.gateways = Array.from(
      { length: gateways },
      (_, index) => new Gateway({ ...env, ...backend.gatewayEnv(index) }, backend.gatewayClock(index), program),
    );
  }

  static async start(options: FaultEnvironmentOptions): Promise<FaultEnvironment> {
    const { seed } = options;
    const dir = mkdtempSync(join(tmpdir(), 'postern-faults-sandbox-'));
    const sandbox = startPostern(['sandbox'], { DATA_DIR: dir, SANDBOX_PORT: '0' });
    const [, url = ''] = await sandbox.printed(/listening on (\S+)/);
    const books: Books[] = [];
    const keys: string[] = [];
    for (const name of ['plain', 'keyed', 'probe']) {
      const { account, key } = await makeAccount(options, name);
      keys.push(key);
      books.push({ name, account, tally: new Tally(), exact: name === 'keyed' });
    }
    const probe = {
      key: keys[2] ?? '',
      authToken: (await new SandboxControl(url).mint()).authToken,
      tally: books[2]?.tally ?? new Tally(),
      random: chance(seed, 'probe'),
      done: () => false,
    };
    const fixture = new FaultEnvironment(options, { process: sandbox, dir, url, books, probe });
    try {
      await Promise.all(fixture.gateways.map((gateway) => gateway.ready()));
      await fixture.#watchEvents(url, (await makeAccount(options, 'watcher')).key);
      await fixture.#sendCallers(seed, keys);
      await fixture.#firstSuccesses();
      return fixture;
    } catch (error) {
      await fixture.stop();
      throw error;
    }
  }

  async #watchEvents(sandboxUrl: string, key: string): Promise<void> {
    this.#receivers = await startReceivers(webhooks);
    const baseUrl = `${this.gateways[0]?.origin}/v1`;
    this.watched = await watch({ sandboxUrl, baseUrl, key }, this.#receivers);
    this.#calling = this.#makeEvents();
  }

  async #makeEvents(): Promise<void> {
    const draw = chance(this.#seed, 'events');
    while (!this.#homeTime) {
      for (const each of this.watched) {
        if (each.happened - arrivals(each) > eventsOnTheirWay) continue;
        const count = 1 + Math.floor(draw() * 3);
        await this.sandbox.makeEvents({ type: 'follow', userName: each.account.userName, count });
        each.happened += count;
      }
      await pause(draw() * 1_000);
    }
  }

  async #sendCallers(seed: string, keys: readonly string[]): Promise<void> {
    const work: Promise<unknown>[] = [this.#calling];
    for (const [kind, { name, tally }] of this.books.slice(0, 2).entries()) {
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

  /**
   * Waits until a call of each kind of caller has succeeded. Plain callers do not repeat calls, so the faults may later interrupt all of them.
   */
  async #firstSuccesses(): Promise<void> {
    const calling = this.books.slice(0, 2);
    const until = performance.now() + firstSuccessMs;
    while (calling.some(({ tally }) => tally.acknowledged === 0)) {
      if (performance.now() > until)
        throw new Error(`no call of some callers succeeded within ${firstSuccessMs / 60_000} minutes`);
      await Promise.race([pause(10), this.#calling]);
    }
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
    if (fault.kind === 'kill') return gateway?.kill();
    if (fault.kind === 'clock') return gateway?.clock.shift(fault.shiftMs);
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
    await Promise.all(this.#receivers.map((receiver) => receiver.stop()));
    await this.#sandboxProcess.end('SIGTERM');
    rmSync(this.#sandboxDir, { recursive: true });
    await this.backend.close();
  }
}

/** Creates an account with a key. Another version makes them itself, because its store may be older. */
async function makeAccount({ backend, program }: FaultEnvironmentOptions, name: string) {
  if (program === undefined) {
    const admin = new AccountAdmin(await backend.store(), systemRuntime);
    const account = await admin.createAccount(name, credit);
    return { account, key: (await admin.createKey(account, 'Key')).key.expose() };
  }
  const run = async (...args: string[]) => {
    const command = startPostern([...args, '--json'], backend.gatewayEnv(0), program);
    return JSON.parse((await command.printed(/\{[\s\S]*\}/))[0]) as { id: string; key: string };
  };
  const { id: account } = await run('account', 'create', '--name', name, '--credits', String(credit / 1_000_000));
  return { account, key: (await run('key', 'create', '--account', account)).key };
}

function thingOf({ kind }: Fault): string {
  return kind.endsWith('-database') || kind === 'lock' || kind === 'disk-full' ? 'database' : 'network';
}
