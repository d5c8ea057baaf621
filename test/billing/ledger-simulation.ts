import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { Ledger, type Reservation } from '../../src/billing/ledger.ts';
import { PosternError } from '../../src/shared/errors/postern-error.ts';
import {
  holdTtlMs,
  type KeyBudget,
  type LedgerStore,
  type Store,
  StoreUnavailableError,
} from '../../src/store/port.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { type ManualRuntime, manualRuntime, settleTurns } from '../store/manual-runtime.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { StoreAttemptFault as StoreFate } from './ledger-faulty-store.ts';

/** `late` means that the process sees a failure, but the attempt arrives later. */
export type AttemptFault = StoreFate | 'late';

export const accounts = ['a', 'b'] as const;
export const unit = 1_000;
const unitsPerDay = 8;

/** A request: the amount that it reserves and the prices of its successful calls. Without prices, the request fails. */
export interface Request {
  writer: number;
  account: number;
  reserve: number;
  charges: number[];
  /** True if the request may run before it is charged. */
  isRead?: boolean;
  /** True if the request has the API key of the account that has a daily budget. */
  hasBudget?: boolean;
}

interface Call extends Request {
  life: ProcessState;
  state: 'reserving' | 'held' | 'settling' | 'acknowledged' | 'unknown' | 'nothing';
  reservation: Reservation | null;
}

/** The state of a process between its start and its end. */
interface ProcessState {
  dead: boolean;
  store: Store;
  ledger: Ledger;
  /** The results of the next attempts. When the list is empty, attempts succeed. */
  weather: AttemptFault[];
  hanging: ((arrives: boolean) => void)[];
  /** For the calls with and without a budget of each account, the total charges that the process was last told. */
  told: Map<string, number>;
}

/** Simulates processes that share a store and all their failures, and records the expected balances. */
export class LedgerSimulation {
  readonly runtime: ManualRuntime;
  readonly #directory: string | null;
  readonly #witness: Store;
  readonly #writers: ProcessState[] = [];
  readonly #calls: Call[] = [];
  /** Each payment ends in one micro-dollar and all prices end in none, so that the remainder shows how many payments came before. */
  readonly #paid = new Map<string, number[]>();
  /** Errors that were found where they could not be thrown, for example during a commit. */
  readonly #faults: unknown[] = [];
  /** The last day with charges of the key with a budget, and all its charges `before` that day and until now. */
  readonly #budgets = new Map<string, { day: number; before: number; counted: number }>();
  readonly #segments = new Map<string, [from: number, to: number][]>();

  private constructor(onDisk: boolean, seed: number) {
    this.runtime = manualRuntime(seed);
    this.#directory = onDisk ? temporaryFolder(onTestFinished) : null;
    this.#witness = this.#openStore();
  }

  static async begin(options: {
    onDisk: boolean;
    seed: number;
    credit: number;
    writers: number;
  }): Promise<LedgerSimulation> {
    const fixture = new LedgerSimulation(options.onDisk, options.seed);
    for (const [index, account] of accounts.entries()) {
      await fixture.#witness.accounts.create({ id: account, name: account, createdAt: 1 });
      fixture.#paid.set(account, [0]);
      await fixture.topUp(index, options.credit);
    }
    for (let writer = 0; writer < options.writers; writer++) fixture.#writers.push(fixture.#newLife());
    return fixture;
  }

  async end(): Promise<void> {
    for (const { store } of this.#writers) await store.close();
    await this.#witness.close();
  }

  ask(request: Request): void {
    const life = this.#writer(request.writer);
    const call: Call = { ...request, life, state: 'reserving', reservation: null };
    this.#calls.push(call);
    const deferred =
      request.isRead && !request.hasBudget ? life.ledger.deferCharge(accountOf(call), request.reserve * unit) : null;
    if (deferred) {
      Object.assign(call, { reservation: deferred, state: 'held' });
      return;
    }
    life.ledger.reserve(accountOf(call), request.reserve * unit, budgetOf(call)).then(
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

  /** Ends one of the running calls. */
  finish(choice: number): void {
    const held = this.#calls.filter(({ state }) => state === 'held');
    const call = held[choice % held.length];
    if (call) this.#finish(call);
  }

  #finish(call: Call): void {
    const { life, reservation } = call;
    if (!reservation) return;
    const charges = call.charges.map((price, index) => ({
      action: `${call.hasBudget ? 'budget' : 'action'}/${index}`,
      micros: price * unit,
    }));
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
        const isFree = reservation.isDeferred && error.reason !== 'charge_unrecorded';
        call.state = isFree ? 'nothing' : 'unknown';
        this.#witnessed(() => expectRefusal(error, isFree ? ['unavailable', 'insufficient_credits'] : ['unavailable']));
      },
    );
  }

  /** Each acknowledged charge corresponds to its own part of the total charges of the account. Later charges correspond to later parts. */
  #acknowledge(call: Call, remaining: number): void {
    const account = accountOf(call);
    const to = (this.#paid.get(account)?.[remaining % unit] ?? Number.NaN) - remaining;
    const from = to - costOf(call);
    const segments = this.#segments.get(account) ?? [];
    for (const segment of segments) expect(to <= segment[0] || from >= segment[1]).toBe(true);
    segments.push([from, to]);
    this.#segments.set(account, segments);
    const group = `${account} ${call.hasBudget}`;
    expect(from).toBeGreaterThanOrEqual(call.life.told.get(group) ?? 0);
    call.life.told.set(group, to);
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

  weather(writer: number, fates: AttemptFault[]): void {
    this.#writer(writer).weather = [...fates];
  }

  letGo(writer: number): void {
    this.#deliver(this.#writer(writer), true);
  }

  async sweep(): Promise<void> {
    await this.#witness.ledger.sweep();
    await this.#expectSound();
  }

  /** Kills the process. Commits that it has sent may still arrive. */
  async crash(writer: number, arrives: boolean): Promise<void> {
    const life = this.#writer(writer);
    this.#bury(life);
    this.#deliver(life, arrives);
    await settleTurns();
    if (this.#directory) await life.store.close();
    this.#writers[writer % this.#writers.length] = this.#newLife();
  }

  /** Stops the process gracefully, as far as the store allows it, and starts another one. */
  async restart(writer: number): Promise<void> {
    const life = this.#writer(writer);
    const closing = life.ledger.close();
    await this.runtime.advance(5_000);
    await closing;
    this.#bury(life);
    if (this.#directory) await life.store.close();
    this.#writers[writer % this.#writers.length] = this.#newLife();
  }

  #deliver(life: ProcessState, arrives: boolean): void {
    for (const go of life.hanging.splice(0)) go(arrives);
  }

  #bury(life: ProcessState): void {
    life.dead = true;
    for (const call of this.#calls) {
      if (call.life !== life) continue;
      if (call.state === 'settling') call.state = call.charges.length > 0 ? 'unknown' : 'nothing';
      if (call.state === 'reserving' || call.state === 'held') call.state = 'nothing';
    }
  }

  /** Runs without failures until nothing is pending, and then checks all balances. Returns how the calls ended. */
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

  #newLife(): ProcessState {
    const store = this.#directory ? this.#openStore() : this.#witness;
    const life = { dead: false, store, weather: [], hanging: [], told: new Map() };
    const ledger = new Ledger({ store: this.#network(life, store.ledger), runtime: this.runtime });
    return Object.assign(life, { ledger });
  }

  /** The connection of one process to the store. A dead process can neither send nor receive. */
  #network(life: Omit<ProcessState, 'ledger'>, inner: LedgerStore): LedgerStore {
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

  /** Throws the first error that was found so far. */
  expectNoFault(): void {
    if (this.#faults.length > 0) throw this.#faults[0];
  }

  async #expectSound(): Promise<void> {
    for (const account of accounts) {
      // The calls begin before the first await, so that all three read the same state.
      const ledger = this.#witness.ledger;
      const reads = [ledger.balance(account), ledger.usage(account, 0, 1e9), ledger.payments(account, 1e6)] as const;
      const [balance, usage, payments] = await Promise.all(reads);
      if (!balance) throw new Error('no account');
      expect(balance.avail).toBeGreaterThanOrEqual(0);
      expect(balance.paid).toBe(balance.avail + balance.held + balance.charged);
      expect(balance.paid).toBe(payments.reduce((sum, { micros }) => sum + micros, 0));
      expect(balance.charged).toBe(usage.reduce((sum, { micros }) => sum + micros, 0));
      const ofBudget = usage.filter(({ action }) => action.startsWith('budget/'));
      this.#expectWithinBudget(
        account,
        ofBudget.reduce((sum, { micros }) => sum + micros, 0),
      );
    }
  }

  /** The clock of the store decides to which day a charge belongs. After the clock was set back, charges still belong to the later day. */
  #expectWithinBudget(account: string, total: number): void {
    const { day, before, counted } = this.#budgets.get(account) ?? { day: 0, before: 0, counted: 0 };
    if (total === counted) return;
    const today = Math.max(day, Math.floor(this.runtime.now() / 86_400_000));
    const begin = today === day ? before : counted;
    this.#budgets.set(account, { day: today, before: begin, counted: total });
    expect(total - begin).toBeLessThanOrEqual(unitsPerDay * unit);
  }

  #writer(index: number): ProcessState {
    const life = this.#writers[index % this.#writers.length];
    if (!life) throw new Error('no writer');
    return life;
  }
}

function accountOf(request: Request): string {
  return accounts[request.account % accounts.length] ?? 'a';
}

function budgetOf(request: Request): KeyBudget | null {
  return request.hasBudget ? { key: `key-${accountOf(request)}`, microsPerDay: unitsPerDay * unit } : null;
}

function costOf(request: Request): number {
  return request.charges.reduce((sum, price) => sum + price * unit, 0);
}

function expectRefusal(error: unknown, codes: string[]): void {
  if (!(error instanceof PosternError) || !codes.includes(error.code)) throw error;
}
