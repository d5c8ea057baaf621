import type { ExecutionArgs, ExecutionResult, OperationDefinitionNode } from 'graphql';
import { execute, GraphQLError, getOperationAST, getVariableValues } from 'graphql';
import type { Caller } from '../../actions/pipeline/action-pipeline.ts';
import type { CallRecorder } from '../../billing/call-recorder.ts';
import { insufficientCredits } from '../../billing/ledger-errors.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { formatDollars, type Micros } from '../../shared/model/money.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { missingKey } from '../http/api-key.ts';
import { type Credential, credentialHeaders } from '../http/credential-headers.ts';
import { refusal } from './errors.ts';
import { documentLimits } from './limits.ts';
import { type CheckedOperation, executePaid, type PaidOperationParts, subscribePaid } from './paid-operation.ts';
import { quote } from './quote.ts';
import type { GraphqlRequest, LiveResults } from './request.ts';
import { RequestCalls } from './request-calls.ts';
import { RequestLifetime } from './request-lifetime.ts';
import { ResponseBudget } from './response-budget.ts';
import { type DocumentScope, fragmentsOf, selectedFields } from './selection.ts';
import { Session } from './session.ts';

export interface PerformParts extends PaidOperationParts {
  runtime: Runtime;
  recorder: CallRecorder;
  /** The maximum cost of one request. */
  costLimit: Micros;
  /** The maximum size of a response in bytes. */
  bytesLimit: number;
  /** The deadline of a request in milliseconds. Reads that are still running at the deadline are aborted. */
  timeoutMs: number;
}

/**
 * Executes a document as one paid request. Reserves the cost of the worst case and charges the calls that succeed. Refuses the whole
 * document if it is too costly, if the credit is too low, or if the key does not allow it.
 */
export async function perform(
  parts: PerformParts,
  args: ExecutionArgs,
  state: GraphqlRequest,
): Promise<ExecutionResult | LiveResults> {
  try {
    return await resultOf(parts, args, state);
  } catch (thrown) {
    const error = asPosternError(thrown);
    return error.code === 'internal'
      ? { errors: [new GraphQLError(error.message, { originalError: error })] }
      : { errors: [refusal(error)] };
  }
}

async function resultOf(
  parts: PerformParts,
  args: ExecutionArgs,
  state: GraphqlRequest,
): Promise<ExecutionResult | LiveResults> {
  const { document, operationName, schema, variableValues } = args;
  const operation = getOperationAST(document, operationName);
  // `execute` then returns the error for an unknown operation name.
  if (!operation) return execute(args);
  state.operationType = operation.operation;
  state.operationName = operation.name?.value;
  const fragments = fragmentsOf(document);
  const needsKey = readsData(operation, { schema, fragments });
  if (needsKey && !state.key) throw missingKey();
  const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {}, {
    maxErrors: 5,
  });
  if (coerced.errors) return { errors: coerced.errors };

  const scope: DocumentScope = { schema, fragments, variables: coerced.coerced };
  const lifetime = new RequestLifetime(parts, state);
  try {
    const caller = callerOf(state, lifetime);
    const { pipeline, costLimit } = parts;
    const calls = new RequestCalls(pipeline, caller);
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
    const bytesLimit =
      operation.operation === 'mutation' ? Math.min(parts.bytesLimit, documentLimits.mutationBytes) : parts.bytesLimit;
    refuseLarger(bytesLimit, bytes);
    const isCostOnly = state.request.headers['x-cost-only'] === '1';
    if (calls.unchecked > 0 && (await mayCheck(parts, state, calls, isCostOnly))) {
      await calls.checkExpensive();
      // The expensive check may have refused some calls, so the cost is measured again without them.
      state.quoted = measure().micros;
    }
    if (isCostOnly) return { data: null };
    if (!needsKey) return await execute(args);
    const isSubscription = operation.operation === 'subscription';
    const budget = new ResponseBudget(bytesLimit, isSubscription ? new Map() : itemBytes);
    const checked: CheckedOperation = {
      args,
      operation,
      variables: scope.variables,
      state,
      caller,
      isForbidden: calls.isForbidden,
      bytesLimit,
      openSession: (billing) =>
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
          recorder: parts.recorder,
        }),
    };
    return await (isSubscription ? subscribePaid(parts, checked) : executePaid(parts, checked));
  } finally {
    lifetime.end();
  }
}

/**
 * Returns true if the expensive checks should run before credit is reserved. If the last known credit does not cover the quote, `Session`
 * runs the checks later, so that the ledger refuses the request first. In both cases a response stored under an Idempotency-Key is returned
 * before the checks.
 */
async function mayCheck(
  { pipeline }: PerformParts,
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

function callerOf({ request, key }: GraphqlRequest, lifetime: RequestLifetime): Caller {
  const secret = (credential: Credential) => {
    const value = request.headers[credentialHeaders[credential]];
    return typeof value === 'string' ? new Secret(value) : null;
  };
  return {
    account: key?.account ?? '',
    key,
    authToken: secret('auth_token'),
    proxy: secret('proxy'),
    encryptionCode: secret('encryption_code'),
    onResponse: untrustedResponses(),
    signal: lifetime.signal,
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

/** The result of `selectsData` for each operation. Parsed documents are cached, so an operation is usually executed many times. */
const dataOperations = new WeakMap<OperationDefinitionNode, boolean>();

function readsData(operation: OperationDefinitionNode, scope: Pick<DocumentScope, 'schema' | 'fragments'>): boolean {
  const known = dataOperations.get(operation);
  if (known !== undefined) return known;
  const selects = selectsData(operation, scope);
  dataOperations.set(operation, selects);
  return selects;
}

/**
 * Returns true if the operation selects a root field other than `__schema`, `__type` and `__typename`. Fields that `@skip` removes count
 * too, so that a caller without a key can read nothing but the schema.
 */
function selectsData(operation: OperationDefinitionNode, scope: Pick<DocumentScope, 'schema' | 'fragments'>): boolean {
  const root = scope.schema.getRootType(operation.operation);
  if (!root) return true;
  const selected = selectedFields(root, [operation.selectionSet], { ...scope, variables: null });
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
