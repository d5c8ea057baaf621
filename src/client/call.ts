import { EventStream } from './event-stream.ts';
import type { CallOptions, CallResult, Endpoint, Input, Transport } from './transport.ts';

/** The input of a call without fields. */
export type NoInput = Record<string, never>;

/** A running call. `await` returns its data. */
export class Call<Data> implements Promise<Data> {
  readonly [Symbol.toStringTag] = 'Call';
  readonly #result: Promise<CallResult<Data>>;

  constructor(result: Promise<CallResult<Data>>) {
    this.#result = result;
  }

  /** Returns the data together with the response, its cost and the credit that is left. */
  withResponse(): Promise<CallResult<Data>> {
    return this.#result;
  }

  // biome-ignore lint/suspicious/noThenProperty: a call is a promise.
  then<A = Data, B = never>(
    onData?: ((data: Data) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#result.then(({ data }) => data).then(onData, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Data | B> {
    return this.then(null, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<Data> {
    return this.then().finally(onEnd);
  }
}

/** A running call of a list. `await` returns its first page, and `for await` gives the items of all pages. */
export class List<Page, Item> extends Call<Page> implements AsyncIterable<Item> {
  readonly #items: string;
  readonly #next: (cursor: Input) => Call<Page>;

  /** `items` is the field of a page that contains its items. `next` requests the page of a cursor. */
  constructor(first: Promise<CallResult<Page>>, items: string, next: (cursor: Input) => Call<Page>) {
    super(first);
    this.#items = items;
    this.#next = next;
  }

  /** Returns all pages, each requested when the loop asks for it. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    for (let call: Call<Page> = this; ; ) {
      const page = await call;
      yield page;
      const cursor = (page as { next_cursor: string | Input | null }).next_cursor;
      if (cursor === null) return;
      call = this.#next(typeof cursor === 'string' ? { cursor } : cursor);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* (page as Record<string, Item[]>)[this.#items] ?? [];
  }

  /** Returns the first `limit` items of all pages. */
  async toArray({ limit }: { limit: number }): Promise<Item[]> {
    const items: Item[] = [];
    if (limit < 1) return items;
    for await (const item of this) if (items.push(item) >= limit) break;
    return items;
  }
}

/** An input that may be left out. */
// biome-ignore lint/suspicious/noConfusingVoidType: only an argument that may be void may be left out.
export type Optional<In> = In | void;

/** A method of a call. */
export type Method<In, Result> = (input: In, options?: CallOptions) => Result;

/** The base of the classes with a method for each call. */
export class CallGroup {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  protected groupOf<Group>(Group: new (transport: Transport) => Group): Group {
    return new Group(this.#transport);
  }

  protected callOf<In extends Optional<object>, Data>(endpoint: Endpoint): Method<In, Call<Data>> {
    return (input, options = {}) => new Call(this.#transport.send<Data>(endpoint, asInput(input), options));
  }

  protected listOf<In extends Optional<object>, Page, Item>(
    endpoint: Endpoint & { items: string },
  ): Method<In, List<Page, Item>> {
    const send = this.callOf<object, Page>(endpoint);
    return (input, options = {}) => {
      const first = this.#transport.send<Page>(endpoint, asInput(input), options);
      // The next page is another request, so it must not have the key of the first one.
      const { idempotencyKey: _key, ...rest } = options;
      return new List(first, endpoint.items, (cursor) => send({ ...input, ...cursor }, rest));
    };
  }

  protected streamOf<In extends Optional<object>>(endpoint: Endpoint): Method<In, EventStream> {
    return (input, options = {}) => new EventStream(this.#transport, endpoint, asInput(input), options);
  }
}

function asInput(input: Optional<object>): Input {
  return (input ?? {}) as Input;
}
