import type { ExecutionArgs, ExecutionResult, OperationDefinitionNode, SelectionSetNode } from 'graphql';
import { execute, GraphQLError, getOperationAST, getVariableValues, Kind, subscribe } from 'graphql';
import type { ActionPipeline, Caller } from '../../actions/pipeline/action-pipeline.ts';
import type { BillingSession } from '../../actions/pipeline/billing-session.ts';
import type { ConcurrencyLimit } from '../../billing/concurrency-limit.ts';
import { insufficientCredits } from '../../billing/ledger-errors.ts';
import type { RateLimiter } from '../../billing/rate-limiter.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { formatDollars, type Micros } from '../../shared/model/money.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { missingKey } from '../http/api-key.ts';
import { showKept, showPayment } from '../http/credits.ts';
import { readIdempotencyKey, requestContent } from '../http/idempotency-key.ts';
import { refusal } from './errors.ts';
import type { Executor } from './executor.ts';
import { documentLimits } from './limits.ts';
import { quote } from './quote.ts';
import type { GraphqlRequest, LiveResults } from './request.ts';
import { RequestCalls } from './request-calls.ts';
import { RequestLifetime } from './request-lifetime.ts';
import { tooLarge } from './respond.ts';
import { ResponseBudget } from './response-budget.ts';
import { type DocumentScope, fragmentsOf } from './selection.ts';
import { Session } from './session.ts';
import { shortenMutation } from './shorten-mutation.ts';

export interface PerformParts {
  core: ActionPipeline;
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
 * Executes a document as one paid request: its worst case is reserved, and the calls that succeed are charged. Refuses the whole
 * document if it is too costly, not affordable or not allowed.
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
    const lifetime = new RequestLifetime(this.#parts, state);
    try {
      const caller = this.#caller(lifetime);
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
      const session = (billing: BillingSession) =>
        new Session({
          account: caller.account,
          calls,
          billing,
          scope,
          budget,
          isLate: () => lifetime.isLate,
          quoted: state.quoted,
          costLimit,
          rate: state.rate,
        });
      if (operation.operation !== 'subscription') return await this.#execute(operation, scope, caller, session);
      return await this.#limited(() => this.#subscribe(caller, session));
    } finally {
      lifetime.end();
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

  async #execute(
    operation: OperationDefinitionNode,
    scope: DocumentScope,
    caller: Caller,
    open: (billing: BillingSession) => Session,
  ): Promise<ExecutionResult> {
    const { core, executor, format } = this.#parts;
    const state = this.#state;
    const isMutation = operation.operation === 'mutation';
    const paid = await core.payFor({
      account: caller.account,
      quote: state.quoted,
      idempotency: isMutation ? this.#idempotency(scope, caller) : null,
      perform: async (billing) => {
        const session = open(billing);
        const bytesLimit = this.#bytesLimit(operation);
        try {
          const executed = await executor.execute({ ...this.#args, contextValue: session }, operation);
          const formatted = format(executed, state);
          if (isMutation) return { session, result: await shortenMutation(formatted, bytesLimit) };
          return { session, result: session.budget.isOver ? { errors: [refusal(tooLarge(bytesLimit))] } : formatted };
        } finally {
          this.#countCalls(billing);
        }
      },
      failureOf: ({ session }) => session.failure,
      bodyOf: ({ result }) => JSON.stringify(result),
      errorBodyOf,
    });
    if (paid.kind === 'kept') {
      showKept(state.response, paid.answer);
      return JSON.parse(paid.answer.body) as ExecutionResult;
    }
    state.settled = paid.settled;
    showPayment(state.response, paid);
    if (state.charges.some(({ micros }) => micros > 0)) executor.countUse(operation);
    return paid.outcome.result;
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

  /** A subscription is paid when it opens; its events are free. */
  async #subscribe(caller: Caller, open: (billing: BillingSession) => Session): Promise<ExecutionResult | LiveResults> {
    const state = this.#state;
    const paid = await this.#parts.core.payFor({
      account: caller.account,
      quote: state.quoted,
      idempotency: null,
      perform: async (billing) => {
        const session = open(billing);
        try {
          const opened = await subscribe({ ...this.#args, contextValue: session });
          return { session, opened: Symbol.asyncIterator in opened ? opened : this.#parts.format(opened, state) };
        } catch (error) {
          session.stream?.end();
          throw error;
        } finally {
          this.#countCalls(billing);
        }
      },
      failureOf: ({ session }) => session.failure,
      bodyOf: () => '',
      errorBodyOf,
      discard: ({ session }) => session.stream?.end(),
    });
    state.settled = paid.settled;
    showPayment(state.response, paid);
    const { session, opened } = paid.outcome;
    const { stream } = session;
    if (!(Symbol.asyncIterator in opened)) return opened;
    return stream ? { results: opened, end: () => stream.end() } : {};
  }

  /** The first call was counted when the request came in. Those that failed count too, because they cost the platform as much. */
  #countCalls({ calls, charges }: BillingSession): void {
    const { key } = this.#state;
    Object.assign(this.#state, { calls, charges });
    if (key && calls > 1) this.#parts.limiter.add(key.id, calls - 1);
  }

  #idempotency({ variables }: DocumentScope, caller: Caller) {
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
    return { key, content };
  }

  #caller(lifetime: RequestLifetime): Caller {
    const secret = (name: string) => {
      const value = header(this.#state, name);
      return value === null ? null : new Secret(value);
    };
    return {
      account: this.#state.key?.account ?? '',
      authToken: secret('x-auth-token'),
      proxy: secret('x-proxy'),
      encryptionCode: secret('x-encryption-code'),
      signal: lifetime.signal,
      get gone() {
        return lifetime.gone;
      },
    };
  }
}

function errorBodyOf(error: PosternError): string {
  return JSON.stringify({ errors: [refusal(error)] });
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
