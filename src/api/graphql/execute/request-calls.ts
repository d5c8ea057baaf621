import type { Action } from '../../../actions/action.ts';
import type { ActionPipeline, Caller, PreparedCall } from '../../../actions/pipeline/action-pipeline.ts';
import { ReceivedFile } from '../../../media/received-file.ts';
import { asPosternError, PosternError } from '../../../shared/errors/postern-error.ts';

type Input = Record<string, unknown>;

interface Prepared {
  readonly call: PreparedCall;
  /** The error with which the expensive check refused the input. */
  refused: PosternError | null;
}

/** Strings up to this length are copied into a call key. Longer strings are replaced by a number. */
const longestInKey = 256;

/** The calls of one request. Calls of one action with equal inputs are prepared and checked once, even if several fields make them. */
export class RequestCalls {
  readonly #pipeline: ActionPipeline;
  readonly #caller: Caller;
  readonly #prepared = new Map<string, Prepared | PosternError>();
  /** The numbers that replace long strings and files in call keys. */
  readonly #numbers = new Map<unknown, number>();

  constructor(pipeline: ActionPipeline, caller: Caller) {
    this.#pipeline = pipeline;
    this.#caller = caller;
  }

  /**
   * Prepares a call. If `paged` is true, the output is an `EdgePage`, which may begin after any edge. `key` must be the result of
   * `keyOf`. Throws `bad_input`.
   */
  prepare(action: Action, input: Input, paged = false, key = this.keyOf(action, input, paged)): PreparedCall {
    return this.#prepare(action, input, paged, key).call;
  }

  /** Returns false if the checks of the input refuse the call. */
  accepts(action: Action, input: Input, key: string): boolean {
    try {
      return this.#prepare(action, input, false, key).refused === null;
    } catch (error) {
      if (error instanceof PosternError) return false;
      throw error;
    }
  }

  /** Throws if a check before execution refuses the call's input. */
  check(action: Action, input: Input, paged: boolean): void {
    const { refused } = this.#prepare(action, input, paged, this.keyOf(action, input, paged));
    if (refused) throw refused;
  }

  /** True if calls are prepared, and the API key is not allowed to make any of them. */
  get isForbidden(): boolean {
    const prepared = [...this.#prepared.values()];
    return prepared.length > 0 && prepared.every((each) => each instanceof PosternError && each.code === 'forbidden');
  }

  /** True if a prepared call is a PATCH. Its fields can have null as a value. */
  get acceptNull(): boolean {
    return [...this.#prepared.values()].some((each) => 'call' in each && each.call.action.method === 'PATCH');
  }

  /** The number of characters that `checkExpensive` has to check. */
  get unchecked(): number {
    return this.#expensive().reduce((sum, { call }) => sum + call.unchecked, 0);
  }

  /** Runs the expensive checks of all calls that are prepared so far. */
  async checkExpensive(): Promise<void> {
    await Promise.all(
      this.#expensive().map(async (prepared) => {
        try {
          await prepared.call.check();
        } catch (thrown) {
          const error = asPosternError(thrown);
          if (error.code !== 'bad_input') throw error;
          prepared.refused = error;
        }
      }),
    );
  }

  /** Returns a key for a call. Calls of one action with equal inputs have equal keys. */
  keyOf(action: Action, input: Input, paged = false): string {
    return `${paged ? 'edges ' : ''}${action.name} ${JSON.stringify(input, this.#shorten)}`;
  }

  #expensive(): Prepared[] {
    return [...this.#prepared.values()].filter(
      (each): each is Prepared => !(each instanceof PosternError) && each.call.unchecked > 0,
    );
  }

  #prepare(action: Action, input: Input, paged: boolean, key: string): Prepared {
    let prepared = this.#prepared.get(key);
    if (prepared === undefined) {
      try {
        const call = paged
          ? this.#pipeline.prepareEdges(action, input, this.#caller)
          : this.#pipeline.prepare(action, input, this.#caller);
        prepared = { call, refused: null };
      } catch (error) {
        if (!(error instanceof PosternError)) throw error;
        prepared = error;
      }
      this.#prepared.set(key, prepared);
    }
    if (prepared instanceof PosternError) throw prepared;
    return prepared;
  }

  /** Replaces long strings and files by numbers. */
  readonly #shorten = (_name: string, value: unknown): unknown => {
    const isLong = typeof value === 'string' && value.length > longestInKey;
    if (!isLong && !(value instanceof ReceivedFile)) return value;
    const number = this.#numbers.get(value) ?? this.#numbers.size;
    this.#numbers.set(value, number);
    return { number };
  };
}
