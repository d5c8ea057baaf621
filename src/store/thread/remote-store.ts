import type { MessagePort, Worker } from 'node:worker_threads';
import { type Store, type StoreReport, StoreUnavailableError } from '../port.ts';
import { type Answers, type Calls, type Method, type StoreGroup, storeMethods } from './protocol.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** A store that runs in another thread, so that its synchronous calls do not block this thread. */
export class RemoteStore implements Store {
  readonly kind: string;
  readonly accounts: Store['accounts'];
  readonly keys: Store['keys'];
  readonly audit: Store['audit'];
  readonly ledger: Store['ledger'];
  readonly statistics: Store['statistics'];
  readonly idempotency: Store['idempotency'];
  readonly processes: Store['processes'];
  readonly webhooks: Store['webhooks'];
  readonly pollers: Store['pollers'];
  readonly events: Store['events'];
  readonly deliveries: Store['deliveries'];
  readonly accountEvents: Store['accountEvents'];
  readonly secretCheck: Store['secretCheck'];
  readonly platformState: Store['platformState'];
  readonly identifiers: Store['identifiers'];
  readonly connections: Store['connections'];
  readonly now: () => number;
  readonly callsWaiting = () => this.#waiting.length - this.#freeIds.length;
  readonly #port: MessagePort | Worker;
  /**
   * The pending calls. The index of a call is its id, and a free id has `null`. An array is used, because a Map would keep ended calls in
   * memory (docs/decisions.md, Speed).
   */
  #waiting: (Waiting | null)[] = [];
  /** The ids of answered calls, for new calls. Each call gets exactly one response, so no response can arrive for a free id. */
  #freeIds: number[] = [];
  #calls: Calls[number][] = [];
  #gone: StoreUnavailableError | undefined;

  /** `now` is the store's clock, which must be the clock of this machine. */
  constructor(kind: string, port: MessagePort | Worker, now: () => number) {
    this.kind = kind;
    this.#port = port;
    this.accounts = this.#group('accounts');
    this.keys = this.#group('keys');
    this.audit = this.#group('audit');
    this.ledger = this.#group('ledger');
    this.statistics = this.#group('statistics');
    this.idempotency = this.#group('idempotency');
    this.processes = this.#group('processes');
    this.webhooks = this.#group('webhooks');
    this.pollers = this.#group('pollers');
    this.events = this.#group('events');
    this.deliveries = this.#group('deliveries');
    this.accountEvents = this.#group('accountEvents');
    this.secretCheck = this.#group('secretCheck');
    this.platformState = this.#group('platformState');
    this.identifiers = this.#group('identifiers');
    this.connections = this.#group('connections');
    this.now = now;
    port.on('message', (answers: Answers) => this.#settle(answers));
  }

  async ready(): Promise<void> {
    await this.#call('ready', []);
  }

  async inspect(): Promise<StoreReport> {
    return (await this.#call('inspect', [])) as StoreReport;
  }

  async close(): Promise<void> {
    if (this.#gone) return;
    const closed = this.#call('close', []);
    this.#gone = new StoreUnavailableError('The database is closed');
    await closed;
  }

  /** Rejects all pending calls, because the other thread has ended. */
  lose(cause: Error): void {
    this.#gone ??= new StoreUnavailableError('The thread of the store has ended', { cause });
    for (const waiting of this.#waiting) waiting?.reject(this.#gone);
    this.#waiting = [];
    this.#freeIds = [];
  }

  #group<Group extends StoreGroup>(group: Group): Store[Group] {
    const calls = storeMethods[group].map((verb) => [
      verb,
      (...args: unknown[]) => this.#call(`${group}.${verb}` as Method, args),
    ]);
    return Object.fromEntries(calls) as Store[Group];
  }

  #call(method: Method, args: readonly unknown[]): Promise<unknown> {
    if (this.#gone) return Promise.reject(this.#gone);
    return new Promise((resolve, reject) => {
      const id = this.#freeIds.pop() ?? this.#waiting.length;
      this.#waiting[id] = { resolve, reject };
      if (this.#calls.push({ id, method, args }) > 1) return;
      queueMicrotask(() => {
        this.#port.postMessage(this.#calls satisfies Calls);
        this.#calls = [];
      });
    });
  }

  #settle(answers: Answers): void {
    for (const answer of answers) {
      const waiting = this.#waiting[answer.id];
      if (!waiting) continue;
      this.#waiting[answer.id] = null;
      this.#freeIds.push(answer.id);
      if ('value' in answer) waiting.resolve(answer.value);
      else waiting.reject(answer.unavailable ? unavailable(answer.failure) : answer.failure);
    }
  }
}

function unavailable(failure: unknown): StoreUnavailableError {
  const { message, cause } = failure as Error;
  return new StoreUnavailableError(message, { cause });
}
