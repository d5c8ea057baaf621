/** A function that the process at the other end of a channel may call. Arguments and results are sent as JSON. */
type Callable = (...args: never[]) => unknown;
export type Api<T> = { [Name in keyof T]: Callable };

type Call = readonly [id: number | null, name: string, args: readonly unknown[]];
type Reply = readonly [id: number, error: string | null, result: unknown];

interface Batch {
  readonly postern: { readonly calls: readonly Call[]; readonly replies: readonly Reply[] };
}

/** The maximum time that a call without a result waits for further calls, which are sent in the same message. */
const tellMs = 5;

interface Pending {
  resolve: (result: never) => void;
  reject: (error: Error) => void;
}

/**
 * Transports calls between the supervisor and one of its workers over the IPC channel of `node:cluster`. All calls and replies of one turn
 * of the event loop are sent in one message.
 */
export class Channel<Remote extends Api<Remote>> {
  readonly #send: (batch: Batch) => void;
  readonly #own: Readonly<Record<string, (...args: unknown[]) => unknown>>;
  readonly #pending = new Map<number, Pending>();
  #calls: Call[] = [];
  #replies: Reply[] = [];
  #scheduled = false;
  #later: NodeJS.Timeout | undefined;
  #closed = false;
  #lastId = 0;

  /** `own` contains the functions that the other end may call. */
  constructor(send: (batch: Batch) => void, own: object) {
    this.#send = send;
    this.#own = own as Readonly<Record<string, (...args: unknown[]) => unknown>>;
  }

  /** Calls a function of the other end. Rejects if the function throws or the channel closes. */
  call<Name extends keyof Remote & string>(
    name: Name,
    ...args: Parameters<Remote[Name]>
  ): Promise<Awaited<ReturnType<Remote[Name]>>> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      this.#calls.push([id, name, args]);
      this.#schedule();
    });
  }

  /** Calls a function of the other end and ignores its result. The call is sent with the next message, at most `tellMs` later. */
  tell<Name extends keyof Remote & string>(name: Name, ...args: Parameters<Remote[Name]>): void {
    this.#calls.push([null, name, args]);
    this.#later ??= setTimeout(() => this.#flush(), tellMs);
  }

  /**
   * Handles a message of the IPC channel. It must be called with every message. Messages that arrive after `close` are ignored: Node may
   * deliver messages of a worker after its exit, when its slots were already released.
   */
  receive(message: unknown): void {
    if (this.#closed) return;
    if (typeof message !== 'object' || message === null || !('postern' in message)) return;
    const { calls, replies } = (message as Batch).postern;
    for (const [id, error, result] of replies) {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (error === null) pending?.resolve(result as never);
      else pending?.reject(new Error(error));
    }
    for (const [id, name, args] of calls) this.#answer(id, name, args);
  }

  /** Rejects all pending calls. Later calls are not sent. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#pending.values()) reject(closed());
    this.#pending.clear();
  }

  #answer(id: number | null, name: string, args: readonly unknown[]): void {
    const reply = (error: string | null, result: unknown) => {
      if (id === null) return;
      this.#replies.push([id, error, result]);
      this.#schedule();
    };
    const fail = (error: unknown) => reply(error instanceof Error ? error.message : String(error), null);
    try {
      const result = this.#own[name]?.(...args);
      if (result instanceof Promise) result.then((value) => reply(null, value), fail);
      else reply(null, result);
    } catch (error) {
      fail(error);
    }
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#scheduled = false;
    const batch = { postern: { calls: this.#calls, replies: this.#replies } };
    this.#calls = [];
    this.#replies = [];
    if (!this.#closed && batch.postern.calls.length + batch.postern.replies.length > 0) this.#send(batch);
  }
}

function closed(): Error {
  return new Error('The channel between the supervisor and its worker is closed');
}
