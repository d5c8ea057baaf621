import type { ExecutionArgs, ExecutionResult, OperationDefinitionNode } from 'graphql';
import { execute, GraphQLError, getOperationAST, getVariableValues } from 'graphql';
import type { Caller } from '../../actions/pipeline/action-pipeline.ts';
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
  /** The highest cost of one request. */
  costLimit: Micros;
  /** The largest response in bytes. */
  bytesLimit: number;
  /** The deadline of one request. Reads that have not ended by then are aborted. */
  timeoutMs: number;
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
  // `execute` returns the error that describes a wrong operation name.
  if (!operation) return execute(args);
  state.operationType = operation.operation;
  state.operationName = operation.name?.value;
  const fragments = fragmentsOf(document);
  const needsKey = selectsData(operation, { schema, fragments });
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
      // The price of the calls that passed the expensive check.
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
        }),
    };
    return await (isSubscription ? subscribePaid(parts, checked) : executePaid(parts, checked));
  } finally {
    lifetime.end();
  }
}

/**
 * Returns whether the expensive checks should run before credit is reserved. If the last known credit does not cover the quote, they
 * run in `Session` instead, so that the ledger refuses the request first. An answer kept under an Idempotency-Key is still found
 * before that.
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
      `Too much Markdown: the articles of one request may have ${documentLimits.markdown.toLocaleString('en')} characters together`,
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
    authToken: secret('auth_token'),
    proxy: secret('proxy'),
    encryptionCode: secret('encryption_code'),
    signal: lifetime.signal,
    get gone() {
      return lifetime.gone;
    },
  };
}

/**
 * True if the operation selects a root field besides `__schema`, `__type` and `__typename`. A field that `@skip` leaves out counts,
 * so that a caller without a key learns only the schema.
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
