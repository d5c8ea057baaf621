import { setMaxListeners } from 'node:events';
import type { ExecutionArgs, ExecutionResult, OperationDefinitionNode, SelectionSetNode } from 'graphql';
import { execute, GraphQLError, getOperationAST, getVariableValues, Kind, subscribe } from 'graphql';
import type { Caller, Core } from '../../actions/pipeline/core.ts';
import type { Tab } from '../../actions/pipeline/tab.ts';
import type { ConcurrencyLimit } from '../../billing/concurrency-limit.ts';
import { insufficientCredits } from '../../billing/ledger-errors.ts';
import type { RateLimiter } from '../../billing/rate-limiter.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { formatDollars, type Micros } from '../../shared/model/money.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { missingKey } from '../http/api-key.ts';
import { showCredits } from '../http/credits.ts';
import { readIdempotencyKey, requestContent } from '../http/idempotency-key.ts';
import { noteError } from '../http/request-locals.ts';
import { describe, refusal } from './errors.ts';
import type { Executor } from './executor.ts';
import { isSmall, toJson } from './json-slices.ts';
import { documentLimits } from './limits.ts';
import { quote } from './quote.ts';
import type { GraphqlRequest, LiveResults } from './request.ts';
import { RequestCalls } from './request-calls.ts';
import { tooLarge } from './respond.ts';
import { ResponseBudget } from './response-budget.ts';
import { type DocumentScope, fragmentsOf } from './selection.ts';
import { Session } from './session.ts';

export interface PerformParts {
  core: Core;
  limiter: RateLimiter;
  streams: ConcurrencyLimit;
  executor: Executor;
  runtime: Runtime;
  costLimit: Micros;
  /** Of one response. */
  bytesLimit: number;
  /** Of one request: reads that are not answered by then are given up. */
  timeoutMs: number;
  /** Errors as callers see them. */
  format: (result: ExecutionResult, request: GraphqlRequest) => ExecutionResult;
}

/**
 * Executes a document on a tab: its worst case is reserved as a whole, what succeeded is charged, the rest goes back.
 * Refused whole where it is too costly, not affordable, or not allowed.
 */
export async function perform(
  parts: PerformParts,
  args: ExecutionArgs,
  state: GraphqlRequest,
): Promise<ExecutionResult | LiveResults> {
  try {
    return await new Performance(parts, args, state).result();
  } catch (thrown) {
    const error = asPosternError(thrown);
    return error.code === 'internal'
      ? { errors: [new GraphQLError(error.message, { originalError: error })] }
      : { errors: [refusal(error)] };
  }
}

class Performance {
  readonly #parts: PerformParts;
  readonly #args: ExecutionArgs;
  readonly #state: GraphqlRequest;

  constructor(parts: PerformParts, args: ExecutionArgs, state: GraphqlRequest) {
    this.#parts = parts;
    this.#args = args;
    this.#state = state;
  }

  async result(): Promise<ExecutionResult | LiveResults> {
    const { document, operationName, schema, variableValues } = this.#args;
    const operation = getOperationAST(document, operationName);
    // The executor says best what is wrong with its name.
    if (!operation) return execute(this.#args);
    this.#state.operationType = operation.operation;
    this.#state.operationName = operation.name?.value;
    const fragments = fragmentsOf(document);
    const needsKey = asksForMoreThanTheSchema(operation, fragments);
    if (needsKey && !this.#state.key) throw missingKey();
    const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {}, {
      maxErrors: 5,
    });
    if (coerced.errors) return { errors: coerced.errors };

    const scope: DocumentScope = { schema, fragments, variables: coerced.coerced };
    const state = this.#state;
    const waiting = new Waiting(this.#parts, state);
    try {
      const caller = this.#caller(waiting);
      const { core, costLimit } = this.#parts;
      const calls = new RequestCalls(core, caller);
      const measure = () =>
        quote({
          scope,
          operation,
          limits: documentLimits,
          check: (action, input, paged) => calls.check(action, input, paged),
        });
      const { micros, bytes, itemBytes } = measure();
      state.quoted = micros;
      refuseBeyond(costLimit, micros);
      const bytesLimit = this.#bytesLimit(operation);
      refuseLarger(bytesLimit, bytes);
      const isCostOnly = state.request.headers['x-cost-only'] === '1';
      if (calls.unchecked > 0 && (await this.#mayCheck(calls, isCostOnly))) {
        await calls.checkExpensive();
        // The price of the calls that passed the expensive check.
        state.quoted = measure().micros;
      }
      if (isCostOnly) return { data: null };
      if (!needsKey) return await execute(this.#args);
      const budget = new ResponseBudget(bytesLimit, operation.operation === 'subscription' ? new Map() : itemBytes);
      const onTab = () => this.#onTab(operation, scope, caller, calls, waiting, budget);
      return await (operation.operation === 'subscription' ? this.#limited(onTab) : onTab());
    } finally {
      waiting.end();
    }
  }

  /**
   * Whether the expensive checks should be made before credit is reserved. If the last known credit is too short they are
   * left to `Session`, so that the ledger refuses the request first; a kept answer is still found before that.
   */
  async #mayCheck(calls: RequestCalls, isCostOnly: boolean): Promise<boolean> {
    const { core } = this.#parts;
    const { quoted, key } = this.#state;
    if (calls.unchecked > documentLimits.markdown) {
      throw new PosternError(
        'document_limit',
        `Too much Markdown: the articles of one request may have ${documentLimits.markdown.toLocaleString('en')} characters together`,
      );
    }
    if (await core.covers(key?.account ?? '', quoted)) return true;
    if (isCostOnly) throw insufficientCredits(quoted);
    return false;
  }

  #bytesLimit({ operation }: OperationDefinitionNode): number {
    const { bytesLimit } = this.#parts;
    return operation === 'mutation' ? Math.min(bytesLimit, documentLimits.mutationBytes) : bytesLimit;
  }

  async #onTab(
    operation: OperationDefinitionNode,
    scope: DocumentScope,
    caller: Caller,
    calls: RequestCalls,
    waiting: Waiting,
    budget: ResponseBudget,
  ): Promise<ExecutionResult | LiveResults> {
    const state = this.#state;
    const { core, costLimit } = this.#parts;
    const claim = operation.operation === 'mutation' ? await this.#claim(scope, caller) : null;
    if (claim && 'body' in claim) {
      state.response.setHeader('idempotent-replayed', 'true');
      if (claim.reason) noteError(state.response, { reason: claim.reason, status: claim.status });
      return JSON.parse(claim.body) as ExecutionResult;
    }
    const tab = await core.openTab(caller.account, state.quoted, claim);
    const session = new Session({
      account: caller.account,
      calls,
      tab,
      scope,
      budget,
      isLate: () => waiting.isLate,
      quoted: state.quoted,
      costLimit,
      rate: state.rate,
    });
    if (operation.operation === 'subscription') return this.#subscribe(tab, session);
    let result: ExecutionResult;
    try {
      result = this.#parts.format(
        await this.#parts.executor.execute({ ...this.#args, contextValue: session }, operation),
        state,
      );
    } catch (thrown) {
      this.#countCalls(tab);
      const error = asPosternError(thrown);
      await tab.refuse(error, JSON.stringify({ errors: [refusal(error)] }));
      throw error;
    }
    const bytesLimit = this.#bytesLimit(operation);
    if (operation.operation === 'mutation') result = await shorten(result, bytesLimit);
    else if (budget.isOver) result = { errors: [refusal(tooLarge(bytesLimit))] };
    await this.#close(tab, result, session, claim !== null);
    if (tab.charges.some(({ micros }) => micros > 0)) this.#parts.executor.countUse(operation);
    return result;
  }

  /** Counts a stream of its key from before credit is reserved until it has ended. */
  async #limited(open: () => Promise<ExecutionResult | LiveResults>): Promise<ExecutionResult | LiveResults> {
    const giveBack = this.#parts.streams.enter(this.#state.key?.id ?? '');
    let isOpen = false;
    try {
      const opened = await open();
      if (!('results' in opened)) return opened;
      isOpen = true;
      const end = () => {
        opened.end();
        giveBack();
      };
      return { ...opened, end };
    } finally {
      if (!isOpen) giveBack();
    }
  }

  /** It is paid when it opens; what it tells afterwards is free. */
  async #subscribe(tab: Tab, session: Session): Promise<ExecutionResult | LiveResults> {
    const opened = await subscribe({ ...this.#args, contextValue: session });
    const { stream } = session;
    try {
      const result = Symbol.asyncIterator in opened ? {} : this.#parts.format(opened, this.#state);
      await this.#close(tab, result, session, false);
      if (!(Symbol.asyncIterator in opened) || !stream) return result;
      return { results: opened, end: () => stream.end() };
    } catch (error) {
      stream?.end();
      throw error;
    }
  }

  /**
   * What was charged is the answer of this Idempotency-Key, whatever failed beside it: performed again it would be
   * charged again. If nothing was charged, a failure with an unknown outcome decides, else the first one, as in REST.
   */
  async #close(tab: Tab, result: ExecutionResult, session: Session, isKept: boolean): Promise<void> {
    const state = this.#state;
    state.charges = tab.charges;
    this.#countCalls(tab);
    // Only an Idempotency-Key wants the answer as it was sent.
    const body = isKept ? JSON.stringify(result) : '';
    const failures = session.failedWrites;
    const failure = failures.find(({ status }) => status >= 500) ?? failures[0];
    if (failure && tab.charges.length === 0) {
      await tab.refuse(failure, body);
      return;
    }
    state.settled = await tab.close(200, body);
    if (state.settled) showCredits(state.response, state.settled);
    else if (isKept && tab.charges.length > 0) state.response.setHeader('idempotent-replayed', 'true');
  }

  /** The first call was counted when the request came in. Those that failed count too, because they cost the platform as much. */
  #countCalls(tab: Tab): void {
    const { key } = this.#state;
    this.#state.calls = tab.calls;
    if (key && tab.calls > 1) this.#parts.limiter.add(key.id, tab.calls - 1);
  }

  async #claim({ variables }: DocumentScope, caller: Caller) {
    const key = readIdempotencyKey(this.#state.request);
    if (key === null) return null;
    const { document, operationName } = this.#args;
    const text = document.loc?.source.body ?? '';
    const secrets = [
      caller.authToken?.expose() ?? null,
      caller.proxy?.expose() ?? null,
      header(this.#state, 'x-encryption-code'),
    ];
    const content = requestContent('graphql', { document: text, operationName, variables }, secrets);
    return this.#parts.core.claim({ account: caller.account, key, content });
  }

  #caller(waiting: Waiting): Caller {
    const secret = (name: string) => {
      const value = header(this.#state, name);
      return value === null ? null : new Secret(value);
    };
    return {
      account: this.#state.key?.account ?? '',
      authToken: secret('x-auth-token'),
      proxy: secret('x-proxy'),
      encryptionCode: secret('x-encryption-code'),
      signal: waiting.signal,
      get gone() {
        return waiting.gone;
      },
    };
  }
}

/** True also for a field that `@skip` leaves out: without a key a caller learns nothing else about a document. */
function asksForMoreThanTheSchema(
  { selectionSet }: OperationDefinitionNode,
  fragments: DocumentScope['fragments'],
): boolean {
  const visited = new Set<string>();
  const asks = ({ selections }: SelectionSetNode): boolean =>
    selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return !selection.name.value.startsWith('__');
      if (selection.kind === Kind.INLINE_FRAGMENT) return asks(selection.selectionSet);
      const name = selection.name.value;
      if (visited.has(name)) return false;
      visited.add(name);
      const fragment = fragments[name];
      return fragment !== undefined && asks(fragment.selectionSet);
    });
  return asks(selectionSet);
}

function refuseBeyond(costLimit: Micros, quoted: Micros): void {
  if (quoted <= costLimit) return;
  throw new PosternError(
    'cost_limit',
    `Too costly: this could cost up to ${formatDollars(quoted)}, and the limit is ${formatDollars(costLimit)} a request. Ask for fewer items (first) or fewer lists inside lists`,
  );
}

/** What may stay inside the payload of a mutation whose response is too large. */
const smallPart = { characters: 2_000, values: 200 };

/**
 * A mutation has been performed, so its response cannot be refused: if it is too large, the objects inside its payloads are left out.
 * The quote bounds the rest.
 */
async function shorten(result: ExecutionResult, bytesLimit: number): Promise<ExecutionResult> {
  if (isSmall(result) || (await toJson(result, bytesLimit))) return result;
  const errors = [...(result.errors ?? [])];
  const data: Record<string, unknown> = {};
  for (const [key, payload] of Object.entries(result.data ?? {})) {
    data[key] = payload;
    if (typeof payload !== 'object' || payload === null) continue;
    const shortened: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(payload)) {
      const fits = typeof value !== 'object' || isSmall(value, smallPart);
      shortened[name] = fits ? value : null;
      if (!fits) errors.push(describe(tooLarge(bytesLimit), new GraphQLError('', { path: [key, name] })));
    }
    data[key] = shortened;
  }
  return { ...result, data, errors };
}

function refuseLarger(bytesLimit: number, bytes: number): void {
  if (bytes <= bytesLimit) return;
  throw new PosternError(
    'response_size_limit',
    `Too large: the response could have about ${Math.ceil(bytes)} bytes, and the limit is ${bytesLimit}. Ask for fewer items (first), fewer lists inside lists, or fewer long texts (content)`,
  );
}

function header({ request }: GraphqlRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
}

/** Ends what is still being read when the caller hangs up, or when the request takes too long. */
class Waiting {
  isLate = false;
  readonly #controller = new AbortController();
  /** Created only when asked for, because only writes and media need it. */
  #gone: AbortController | undefined;
  readonly #timer: { cancel(): void };
  readonly #onClose: () => void;
  readonly #state: GraphqlRequest;

  constructor({ runtime, timeoutMs }: PerformParts, state: GraphqlRequest) {
    this.#state = state;
    // Every read in flight listens, and a request may have any number of them.
    setMaxListeners(0, this.#controller.signal);
    this.#onClose = () => {
      this.#gone?.abort();
      this.#controller.abort();
    };
    state.response.once('close', this.#onClose);
    // The caller may have gone while its key was looked up.
    if (state.response.destroyed) this.#onClose();
    this.#timer = runtime.after(timeoutMs, () => {
      this.isLate = true;
      this.#controller.abort();
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Of its caller alone: what is being fetched for a write takes its time. */
  get gone(): AbortSignal {
    if (!this.#gone) {
      this.#gone = new AbortController();
      setMaxListeners(0, this.#gone.signal);
      if (this.#state.response.destroyed) this.#gone.abort();
    }
    return this.#gone.signal;
  }

  end(): void {
    this.#timer.cancel();
    this.#state.response.off('close', this.#onClose);
  }
}
