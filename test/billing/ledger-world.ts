import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Ledger, type Reservation } from '../../src/billing/ledger.ts';
import { PosternError } from '../../src/shared/errors/postern-error.ts';
import { holdTtlMs, type LedgerStore, type Store, StoreUnavailableError } from '../../src/store/port.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { type ManualRuntime, manualRuntime, settleTurns } from '../store/manual-runtime.ts';
import type { Fate as StoreFate } from './ledger-faulty-store.ts';

/** `late`: the process is told that the attempt failed, and yet it arrives, when it is let go. */
export type Fate = StoreFate | 'late';

export const accounts = ['a', 'b'] as const;
export const unit = 1_000;

/** One request: what it reserves, and what each of its calls costs that will succeed. None: it fails. */
export interface Request {
  writer: number;
  account: number;
  reserve: number;
  charges: number[];
}

interface Call extends Request {
  life: Life;
  state: 'reserving' | 'held' | 'settling' | 'acknowledged' | 'unknown' | 'nothing';
  reservation: Reservation | null;
}

/** A process, from its start to its death. */
interface Life {
  dead: boolean;
  store: Store;
  ledger: Ledger;
  /** The fates of its next attempts; when they are used up, all is well. */
  weather: Fate[];
  hanging: ((arrives: boolean) => void)[];
  /** For each account, how far the charges went that it was told of last. */
  told: Map<string, number>;
}

/** Processes that share a store, all that can befall them, and the books that an honest witness keeps. */
export class World {
  readonly runtime: ManualRuntime;
  readonly #directory: string | null;
  readonly #witness: Store;
  readonly #writers: Life[] = [];
  readonly #calls: Call[] = [];
  /** Top-ups end in one micro-dollar each, all prices in none, so that a remainder tells how many came before it. */
  readonly #paid = new Map<string, number[]>();
  /** What was found wrong where nobody listens, such as in the middle of a commit. */
  readonly #faults: unknown[] = [];
  readonly #segments = new Map<string, [from: number, to: number][]>();

  private constructor(onDisk: boolean, seed: number) {
    this.runtime = manualRuntime(seed);
    this.#directory = onDisk ? mkdtempSync(join(tmpdir(), 'postern-ledger-')) : null;
    this.#witness = this.#openStore();
  }

  static async begin(options: { onDisk: boolean; seed: number; credit: number; writers: number }): Promise<World> {
    const world = new World(options.onDisk, options.seed);
    for (const [index, account] of accounts.entries()) {
      await world.#witness.accounts.create({ id: account, name: account, createdAt: 1 });
      world.#paid.set(account, [0]);
      await world.topUp(index, options.credit);
    }
    for (let writer = 0; writer < options.writers; writer++) world.#writers.push(world.#newLife());
    return world;
  }

  async end(): Promise<void> {
    for (const { store } of this.#writers) await store.close();
    await this.#witness.close();
    if (this.#directory) rmSync(this.#directory, { recursive: true, force: true });
  }

  ask(request: Request): void {
    const life = this.#writer(request.writer);
    const call: Call = { ...request, life, state: 'reserving', reservation: null };
    this.#calls.push(call);
    life.ledger.reserve(accountOf(call), request.reserve * unit).then(
      (reservation) => {
        if (life.dead) return;
        call.reservation = reservation;
        call.state = 'held';
      },
      (error) => {
        call.state = 'nothing';
        this.#witnessed(() => expectRefusal(error, ['insufficient_credits', 'unavailable']));
      },
    );
  }

  /** Ends one of the calls in flight. */
  finish(choice: number): void {
    const held = this.#calls.filter(({ state }) => state === 'held');
    const call = held[choice % held.length];
    if (call) this.#finish(call);
  }

  #finish(call: Call): void {
    const { life, reservation } = call;
    if (!reservation) return;
    const charges = call.charges.map((price, index) => ({ action: `action/${index}`, micros: price * unit }));
    call.state = 'settling';
    life.ledger.settle(reservation, charges).then(
      (settled) => {
        if (life.dead) return;
        call.state = settled ? 'acknowledged' : 'nothing';
        this.#witnessed(() => {
          expect(settled?.charged ?? 0).toBe(costOf(call));
          if (settled) this.#acknowledge(call, settled.remaining);
        });
      },
      (error) => {
        call.state = 'unknown';
        this.#witnessed(() => expectRefusal(error, ['unavailable']));
      },
    );
  }

  /** Every acknowledged charge has a stretch of all that the account was ever charged to itself, later ones further on. */
  #acknowledge(call: Call, remaining: number): void {
    const account = accountOf(call);
    const to = (this.#paid.get(account)?.[remaining % unit] ?? Number.NaN) - remaining;
    const from = to - costOf(call);
    const segments = this.#segments.get(account) ?? [];
    for (const segment of segments) expect(to <= segment[0] || from >= segment[1]).toBe(true);
    segments.push([from, to]);
    this.#segments.set(account, segments);
    expect(from).toBeGreaterThanOrEqual(call.life.told.get(account) ?? 0);
    call.life.told.set(account, to);
  }

  async topUp(account: number, units: number): Promise<void> {
    const id = accounts[account % accounts.length] ?? 'a';
    const paid = this.#paid.get(id) ?? [];
    const micros = units * unit + 1;
    paid.push((paid.at(-1) ?? 0) + micros);
    const payment = { id: `${id}${paid.length}`, account: id, micros, description: '', createdAt: this.runtime.now() };
    expect(await this.#witness.ledger.topUp(payment)).toBe('applied');
    expect(await this.#witness.ledger.topUp(payment)).toBe('already_applied');
  }

  weather(writer: number, fates: Fate[]): void {
    this.#writer(writer).weather = [...fates];
  }

  letGo(writer: number): void {
    this.#deliver(this.#writer(writer), true);
  }

  async sweep(): Promise<void> {
    await this.#witness.ledger.sweep();
    await this.#expectSound();
  }

  /** The process dies. What it had sent may still arrive. */
  async crash(writer: number, arrives: boolean): Promise<void> {
    const life = this.#writer(writer);
    this.#bury(life);
    this.#deliver(life, arrives);
    await settleTurns();
    if (this.#directory) await life.store.close();
    this.#writers[writer % this.#writers.length] = this.#newLife();
  }

  /** The process ends in good order, as far as the store lets it, and another one takes its place. */
  async restart(writer: number): Promise<void> {
    const life = this.#writer(writer);
    const closing = life.ledger.close();
    await this.runtime.advance(5_000);
    await closing;
    this.#bury(life);
    if (this.#directory) await life.store.close();
    this.#writers[writer % this.#writers.length] = this.#newLife();
  }

  #deliver(life: Life, arrives: boolean): void {
    for (const go of life.hanging.splice(0)) go(arrives);
  }

  #bury(life: Life): void {
    life.dead = true;
    for (const call of this.#calls) {
      if (call.life !== life) continue;
      if (call.state === 'settling') call.state = call.charges.length > 0 ? 'unknown' : 'nothing';
      if (call.state === 'reserving' || call.state === 'held') call.state = 'nothing';
    }
  }

  /** Fair weather until all is quiet, then the reckoning. Answers how the calls ended. */
  async reckon(): Promise<Map<Call['state'], number>> {
    for (let round = 0; round < 2; round++) {
      for (const writer of this.#writers.keys()) {
        this.weather(writer, []);
        this.letGo(writer);
      }
      await this.runtime.advance(10_000);
      for (const call of this.#calls) if (call.state === 'held') this.#finish(call);
      await this.runtime.advance(10_000);
    }
    this.expectNoFault();
    const states = new Map<Call['state'], number>();
    for (const { state } of this.#calls) states.set(state, (states.get(state) ?? 0) + 1);
    for (const state of ['reserving', 'held', 'settling'] as const) expect(states.get(state) ?? 0).toBe(0);
    for (const { ledger } of this.#writers) {
      expect([ledger.activeAccounts, ledger.heldHere()]).toEqual([0, 0]);
      await ledger.close();
    }
    this.runtime.leap(holdTtlMs + 60_000);
    await this.sweep();
    for (const account of accounts) {
      const balance = await this.#witness.ledger.balance(account);
      const total = (state: Call['state']) =>
        this.#calls
          .filter((call) => accountOf(call) === account && call.state === state)
          .reduce((sum, call) => sum + costOf(call), 0);
      expect(balance?.held).toBe(0);
      expect(balance?.charged).toBeGreaterThanOrEqual(total('acknowledged'));
      expect(balance?.charged).toBeLessThanOrEqual(total('acknowledged') + total('unknown'));
    }
    return states;
  }

  #openStore(): Store {
    const path = this.#directory ? join(this.#directory, 'postern.db') : ':memory:';
    return openSqliteStore({ path, runtime: this.runtime, durable: false });
  }

  #newLife(): Life {
    const store = this.#directory ? this.#openStore() : this.#witness;
    const life = { dead: false, store, weather: [], hanging: [], told: new Map() };
    const ledger = new Ledger({ store: this.#network(life, store.ledger), runtime: this.runtime });
    return Object.assign(life, { ledger });
  }

  /** The way from one process to the store: nothing leaves a dead one, and nothing reaches it. */
  #network(life: Omit<Life, 'ledger'>, inner: LedgerStore): LedgerStore {
    const never = new Promise<never>(() => {});
    return {
      ...inner,
      commit: async (commit) => {
        if (life.dead) return never;
        const apply = async () => {
          const outcome = await inner.commit(commit);
          await this.#expectSound().catch((fault) => this.#faults.push(fault));
          return outcome;
        };
        const fate = life.weather.shift() ?? 'ok';
        const delayed = () =>
          new Promise<boolean>((go) => {
            life.hanging.push(go);
          });
        if (fate === 'late') void delayed().then((arrives) => (arrives ? apply() : null));
        else if (fate === 'hang' ? await delayed() : fate !== 'lost') {
          const outcome = await apply();
          if (!life.dead && fate !== 'deaf') return outcome;
        }
        if (life.dead) return never;
        throw new StoreUnavailableError('lost');
      },
    };
  }

  #witnessed(check: () => void): void {
    try {
      check();
    } catch (fault) {
      this.#faults.push(fault);
    }
  }

  /** Throws the first thing that was found wrong so far. */
  expectNoFault(): void {
    if (this.#faults.length > 0) throw this.#faults[0];
  }

  async #expectSound(): Promise<void> {
    for (const account of accounts) {
      // The calls come before the first await, so that all three see one moment.
      const ledger = this.#witness.ledger;
      const reads = [ledger.balance(account), ledger.usage(account, 0, 1e9), ledger.payments(account, 1e6)] as const;
      const [balance, usage, payments] = await Promise.all(reads);
      if (!balance) throw new Error('no account');
      expect(balance.avail).toBeGreaterThanOrEqual(0);
      expect(balance.paid).toBe(balance.avail + balance.held + balance.charged);
      expect(balance.paid).toBe(payments.reduce((sum, { micros }) => sum + micros, 0));
      expect(balance.charged).toBe(usage.reduce((sum, { micros }) => sum + micros, 0));
    }
  }

  #writer(index: number): Life {
    const life = this.#writers[index % this.#writers.length];
    if (!life) throw new Error('no writer');
    return life;
  }
}

function accountOf(request: Request): string {
  return accounts[request.account % accounts.length] ?? 'a';
}

function costOf(request: Request): number {
  return request.charges.reduce((sum, price) => sum + price * unit, 0);
}

function expectRefusal(error: unknown, codes: string[]): void {
  if (!(error instanceof PosternError) || !codes.includes(error.code)) throw error;
}
