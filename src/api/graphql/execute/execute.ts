import {
  type DocumentNode,
  type ExecutionArgs,
  execute,
  type FormattedExecutionResult,
  getVariableValues,
  type OperationDefinitionNode,
  subscribe,
} from 'graphql';
import type { ActionPipeline, Caller } from '../../../actions/pipeline/action-pipeline.ts';
import type { BillingSession } from '../../../actions/pipeline/billing-session.ts';
import type { CallRecorder } from '../../../billing/call-recorder.ts';
import type { KeyLimits } from '../../../billing/key-limits.ts';
import { insufficientCredits } from '../../../billing/ledger-errors.ts';
import { PosternError } from '../../../shared/errors/postern-error.ts';
import type { LiveStream } from '../../../shared/model/event.ts';
import { formatDollars, type Micros } from '../../../shared/model/money.ts';
import type { Logger } from '../../../shared/observability/logger.ts';
import type { Runtime } from '../../../shared/runtime/runtime.ts';
import { missingKey } from '../../http/api-key.ts';
import { showKept, showPayment } from '../../http/credits.ts';
import { readIdempotencyKey, requestContent } from '../../http/idempotency-key.ts';
import { isWithin, toJson } from '../../http/json-size.ts';
import { credentialsIn } from '../../http/request.ts';
import { localsOf } from '../../http/request-locals.ts';
import { documentLimits } from '../document/check-document.ts';
import { quote } from '../document/quote.ts';
import { type DocumentScope, fragmentsOf, selectedFields } from '../document/selection.ts';
import { formatResult, publicError } from '../errors.ts';
import type { GraphqlRequest, LiveResults } from '../request.ts';
import { tooLarge } from '../respond.ts';
import { schema } from '../schema/schema.ts';
import type { Executor } from './executor.ts';
import { RequestCalls } from './request-calls.ts';
import { RequestLifetime } from './request-lifetime.ts';
import { ResponseBudget } from './response-budget.ts';
import { Session } from './session.ts';

export interface OperationParts {
  pipeline: ActionPipeline;
  limits: KeyLimits;
  recorder: CallRecorder;
  runtime: Runtime;
  logger: Logger;
  executor: Executor;
  options: {
    /** The maximum cost of one request in its worst case. */
    costLimit: Micros;
    /** The maximum size of a response in bytes. */
    bytesLimit: number;
    /** The deadline of a request in milliseconds. Reads that are still running at the deadline are aborted. */
    timeoutMs: number;
  };
}

/** An operation of a document that has passed validation. */
export interface Operation {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  /** The variables and the name of the operation, as the caller sent them. */
  variables: Readonly<Record<string, unknown>>;
  operationName: string | null;
}

/** An operation that has passed all checks that come before payment. */
interface CheckedOperation extends Operation {
  args: ExecutionArgs;
  scope: DocumentScope;
  state: GraphqlRequest;
  caller: Caller;
  calls: RequestCalls;
  openSession: (billing: BillingSession) => Session;
}

/**
 * Executes an operation as one paid request. Reserves the cost of the worst case and charges the calls that succeed. Refuses the whole
 * request if it is too costly, if the credit is too low, or if the key does not allow it: throws `PosternError`, or an `AggregateError` of the
 * errors of its variables.
 */
export async function executeOperation(
  parts: OperationParts,
  given: Operation,
  state: GraphqlRequest,
): Promise<FormattedExecutionResult | LiveResults> {
  const { document, operation, variables, operationName } = given;
  state.operationType = operation.operation;
  state.operationName = operation.name?.value;
  const fragments = fragmentsOf(document);
  const needsKey = readsData(operation, fragments);
  if (needsKey && !state.key) throw missingKey();
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
    maxErrors: 5,
  });
  if (errors) throw new AggregateError(errors);

  const scope: DocumentScope = { schema, fragments, variables: coerced };
  const { pipeline, recorder, runtime, options } = parts;
  const { costLimit, bytesLimit, timeoutMs } = options;
  const lifetime = new RequestLifetime(runtime, timeoutMs, state.response);
  try {
    const caller = callerOf(state, lifetime);
    const calls = new RequestCalls(pipeline, caller);
    const measure = () => {
      const quoted = quote(scope, operation, (action, input, paged) => calls.check(action, input, paged));
      caller.needs = quoted.needs;
      return quoted;
    };
    const { micros, bytes, itemBytes } = measure();
    state.quoted = micros;
    refuseBeyond(costLimit, micros);
    refuseLarger(bytesLimit, bytes);
    const isCostOnly = state.request.headers['x-cost-only'] === '1';
    if (calls.unchecked > 0 && (await mayCheck(parts, state, calls, isCostOnly))) {
      await calls.checkExpensive();
      // The expensive check may have refused some calls, so the cost is measured again without them.
      state.quoted = measure().micros;
    }
    if (isCostOnly) return { data: null };
    const args = { schema, document, variableValues: variables, operationName };
    if (!needsKey) return formatResult(await execute(args), state, parts.logger);
    const isSubscription = operation.operation === 'subscription';
    const budget = new ResponseBudget(bytesLimit, isSubscription ? new Map() : itemBytes);
    const { quoted, rate } = state;
    const openSession = (billing: BillingSession) =>
      new Session({ account: caller.account, calls, billing, budget, lifetime, recorder, quoted, costLimit, rate });
    const checked = { ...given, args, scope, state, caller, calls, openSession };
    return await (isSubscription ? subscribePaid(parts, checked) : executePaid(parts, checked));
  } finally {
    lifetime.end();
  }
}

/** Reserves the quoted cost, executes a query or a mutation, and charges the calls that succeeded. */
async function executePaid(parts: OperationParts, checked: CheckedOperation): Promise<FormattedExecutionResult> {
  const { pipeline, executor, logger } = parts;
  const { bytesLimit } = parts.options;
  const { args, operation, state, openSession } = checked;
  const isMutation = operation.operation === 'mutation';
  const paid = await pipeline.payFor({
    ...payment(checked),
    idempotency: isMutation ? idempotencyOf(checked) : null,
    run: async (billing) => {
      const session = openSession(billing);
      try {
        const executed = await executor.execute({ ...args, contextValue: session }, operation);
        const result = formatResult(executed, state, logger);
        // The session is not returned, so that the objects that it has read are garbage while the charge is committed.
        const { failure } = session;
        if (isMutation) return { failure, result: shortened(result, bytesLimit) };
        return { failure, result: session.budget.isOver ? { errors: [publicError(tooLarge(bytesLimit))] } : result };
      } finally {
        countCalls(parts, state, billing);
      }
    },
    failureOf: ({ failure }) => failure,
    bodyOf: ({ result }) => JSON.stringify(result),
  });
  if (paid.kind === 'kept') {
    showKept(state.response, paid.answer);
    const kept = JSON.parse(paid.answer.body) as FormattedExecutionResult;
    state.errors = kept.errors?.length ?? 0;
    return kept;
  }
  state.settled = paid.settled;
  showPayment(state.response, paid);
  if (state.charges.some(({ micros }) => micros > 0)) executor.countUse(operation);
  return paid.outcome.result;
}

/** A field of a payload up to this size stays in the response of a mutation whose response is too large. */
const smallField = { characters: 2_000, values: 200 };

/**
 * Shortens the response of a mutation if it is too large. The response cannot be refused, because the mutation was performed. Large objects
 * inside its payloads are removed; the quote bounds the size of the rest.
 */
function shortened(result: FormattedExecutionResult, bytesLimit: number): FormattedExecutionResult {
  if (toJson(result, bytesLimit) !== null) return result;
  const errors = [...(result.errors ?? [])];
  const data = Object.entries(result.data ?? {}).map(([field, payload]) => {
    const kept = Object.entries(payload ?? {}).map(([name, value]) => {
      if (typeof value !== 'object' || isWithin(smallField, value)) return [name, value];
      errors.push(publicError(tooLarge(bytesLimit), { path: [field, name] }));
      return [name, null];
    });
    return [field, payload && Object.fromEntries(kept)];
  });
  return { errors, data: Object.fromEntries(data) };
}

/**
 * Opens a subscription. The charge is made when the subscription opens; its events are free. The subscription counts as a stream of its API
 * key until it ends.
 */
async function subscribePaid(
  parts: OperationParts,
  checked: CheckedOperation,
): Promise<FormattedExecutionResult | LiveResults> {
  const { args, state } = checked;
  const leave = parts.limits.openStream(state.key?.id ?? '');
  let stream: LiveStream | null = null;
  let isOpen = false;
  const end = () => {
    stream?.end();
    leave();
  };
  try {
    const paid = await parts.pipeline.payFor({
      ...payment(checked),
      idempotency: null,
      run: async (billing) => {
        const session = checked.openSession(billing);
        try {
          return await subscribe({ ...args, contextValue: session });
        } finally {
          stream = session.stream;
          countCalls(parts, state, billing);
        }
      },
      bodyOf: () => '',
    });
    state.settled = paid.settled;
    showPayment(state.response, paid);
    const results = paid.outcome;
    isOpen = Symbol.asyncIterator in results;
    return Symbol.asyncIterator in results ? { results, end } : formatResult(results, state, parts.logger);
  } finally {
    if (!isOpen) end();
  }
}

function payment({ caller: { account, key }, state }: CheckedOperation) {
  const errorBodyOf = (error: PosternError) => JSON.stringify({ errors: [publicError(error)] });
  return { account, budget: key?.budget ?? null, quote: state.quoted, errorBodyOf };
}

/**
 * Counts the calls of an operation against the rate limit. The first call is skipped, because the HTTP request was already counted. Failed
 * calls count too, because they cost the platform as much as successful calls.
 */
function countCalls({ limits }: OperationParts, state: GraphqlRequest, { calls, charges }: BillingSession): void {
  Object.assign(state, { calls, charges });
  if (state.key && calls > 1) limits.addCalls(state.key.id, calls - 1);
}

function idempotencyOf({ document, operationName, scope, state, caller, calls }: CheckedOperation) {
  const key = readIdempotencyKey(state.request);
  if (key === null || calls.isForbidden) return null;
  const text = document.loc?.source.body ?? '';
  const secrets = [caller.authToken, caller.proxy, caller.encryptionCode].map((secret) => secret?.expose() ?? null);
  const permissions = permissionsOf(caller);
  const content = {
    document: text,
    operationName: operationName ?? undefined,
    variables: scope.variables,
    ...permissions,
  };
  return { key, content: requestContent('graphql', content, secrets, { keepsNull: calls.acceptNull }) };
}

/** A kept response is returned only to keys with the same permissions, because other keys may not be allowed to read all its fields. */
function permissionsOf({ key }: Caller) {
  if (!key?.restrictions) return {};
  const { groups, readOnly, connections } = key.restrictions;
  return { permissions: { groups: groups?.toSorted(), readOnly, connections: connections?.toSorted() } };
}

/**
 * Returns true if the expensive checks should run before credit is reserved. If the last known credit does not cover the quote, `Session`
 * runs the checks later, so that the ledger refuses the request first. In both cases a response stored under an Idempotency-Key is returned
 * before the checks.
 */
async function mayCheck(
  { pipeline }: OperationParts,
  { quoted, key }: GraphqlRequest,
  calls: RequestCalls,
  isCostOnly: boolean,
): Promise<boolean> {
  if (calls.unchecked > documentLimits.markdown) {
    throw new PosternError(
      'document_limit',
      `Too much Markdown: the articles of one request may have at most ${documentLimits.markdown.toLocaleString('en')} characters together`,
    );
  }
  if (await pipeline.covers(key?.account ?? '', quoted)) return true;
  if (isCostOnly) throw insufficientCredits(quoted);
  return false;
}

function callerOf({ request, response, key }: GraphqlRequest, lifetime: RequestLifetime): Caller {
  return {
    account: key?.account ?? '',
    key,
    ...credentialsIn(request),
    onResponse: untrustedResponses(),
    signal: lifetime.signal,
    spending: localsOf(response),
    get gone() {
      return lifetime.gone;
    },
  };
}

/**
 * The maximum size of all responses of servers that callers choose to the reads of one request, in bytes. The data of a read is kept until
 * the request ends.
 */
const maxUntrustedBytes = 16 * 1024 * 1024;

function untrustedResponses(): Caller['onResponse'] {
  let total = 0;
  return (bytes, isUntrusted) => {
    if (isUntrusted) total += bytes;
    if (total <= maxUntrustedBytes) return;
    throw new PosternError(
      'response_size_limit',
      `Too large: the platform's responses to this request have more than ${maxUntrustedBytes} bytes. Select fewer items (first) or fewer lists`,
    );
  };
}

/**
 * Returns true if the operation selects a root field other than `__schema`, `__type` and `__typename`. Fields that `@skip` removes count
 * too, so that a caller without a key can read nothing but the schema.
 */
function readsData(
  { operation, selectionSet }: OperationDefinitionNode,
  fragments: DocumentScope['fragments'],
): boolean {
  const root = schema.getRootType(operation);
  if (!root) return true;
  const selected = selectedFields(root, [selectionSet], { schema, fragments, variables: null });
  return [...selected.values()].flat().some(({ name }) => !name.value.startsWith('__'));
}

function refuseBeyond(costLimit: Micros, quoted: Micros): void {
  if (quoted <= costLimit) return;
  throw new PosternError(
    'cost_limit',
    `Too costly: the request could cost up to ${formatDollars(quoted)} dollars, and the limit is ${formatDollars(costLimit)} dollars per request. Select fewer items (first) or fewer nested lists`,
  );
}

function refuseLarger(bytesLimit: number, bytes: number): void {
  if (bytes <= bytesLimit) return;
  throw new PosternError(
    'response_size_limit',
    `Too large: the response could have about ${Math.ceil(bytes)} bytes, and the limit is ${bytesLimit}. Select fewer items (first), fewer nested lists, or fewer long texts (content)`,
  );
}
