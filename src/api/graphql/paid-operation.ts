import type { ExecutionArgs, ExecutionResult, OperationDefinitionNode } from 'graphql';
import { subscribe } from 'graphql';
import type { ActionPipeline, Caller } from '../../actions/pipeline/action-pipeline.ts';
import type { BillingSession } from '../../actions/pipeline/billing-session.ts';
import type { KeyLimits } from '../../billing/key-limits.ts';
import type { PosternError } from '../../shared/errors/postern-error.ts';
import { showKept, showPayment } from '../http/credits.ts';
import { readIdempotencyKey, requestContent } from '../http/idempotency-key.ts';
import { refusal } from './errors.ts';
import type { Executor } from './executor.ts';
import type { GraphqlRequest, LiveResults } from './request.ts';
import { tooLarge } from './respond.ts';
import type { DocumentScope } from './selection.ts';
import type { Session } from './session.ts';
import { shortenMutation } from './shorten-mutation.ts';

export interface PaidOperationParts {
  pipeline: ActionPipeline;
  limits: KeyLimits;
  executor: Executor;
  /** Converts the errors of a result to their public form. */
  format: (result: ExecutionResult, request: GraphqlRequest) => ExecutionResult;
}

/** An operation that has passed all checks that come before payment. */
export interface CheckedOperation {
  args: ExecutionArgs;
  operation: OperationDefinitionNode;
  /** The coerced variables. */
  variables: DocumentScope['variables'];
  state: GraphqlRequest;
  caller: Caller;
  /** True if the API key is not allowed to make any call that the root fields need. */
  isForbidden: boolean;
  /** The maximum size of the response in bytes. */
  bytesLimit: number;
  openSession: (billing: BillingSession) => Session;
}

/** Reserves the quoted cost, executes a query or a mutation, and charges the calls that succeeded. */
export async function executePaid(parts: PaidOperationParts, checked: CheckedOperation): Promise<ExecutionResult> {
  const { pipeline, executor, format } = parts;
  const { args, operation, state, bytesLimit } = checked;
  const isMutation = operation.operation === 'mutation';
  const paid = await pipeline.payFor({
    account: checked.caller.account,
    budget: checked.caller.key?.budget ?? null,
    quote: state.quoted,
    idempotency: isMutation ? idempotencyOf(checked) : null,
    run: async (billing) => {
      const session = checked.openSession(billing);
      try {
        const executed = await executor.execute({ ...args, contextValue: session }, operation);
        const formatted = format(executed, state);
        // The session is not returned, so that the objects that it has read are garbage while the charge is committed.
        const { failure } = session;
        if (isMutation) return { failure, result: await shortenMutation(formatted, bytesLimit) };
        return { failure, result: session.budget.isOver ? { errors: [refusal(tooLarge(bytesLimit))] } : formatted };
      } finally {
        countCalls(parts, state, billing);
      }
    },
    failureOf: ({ failure }) => failure,
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

/**
 * Opens a subscription. The charge is made when the subscription opens; its events are free. The subscription counts as a stream of its API
 * key until it ends.
 */
export async function subscribePaid(
  parts: PaidOperationParts,
  checked: CheckedOperation,
): Promise<ExecutionResult | LiveResults> {
  const leave = parts.limits.openStream(checked.state.key?.id ?? '');
  let isOpen = false;
  try {
    const opened = await open(parts, checked);
    if (!('results' in opened)) return opened;
    isOpen = true;
    const end = () => {
      opened.end();
      leave();
    };
    return { ...opened, end };
  } finally {
    if (!isOpen) leave();
  }
}

async function open(parts: PaidOperationParts, checked: CheckedOperation): Promise<ExecutionResult | LiveResults> {
  const { args, state } = checked;
  const paid = await parts.pipeline.payFor({
    account: checked.caller.account,
    budget: checked.caller.key?.budget ?? null,
    quote: state.quoted,
    idempotency: null,
    run: async (billing) => {
      const session = checked.openSession(billing);
      try {
        const opened = await subscribe({ ...args, contextValue: session });
        return { session, opened: Symbol.asyncIterator in opened ? opened : parts.format(opened, state) };
      } catch (error) {
        session.stream?.end();
        throw error;
      } finally {
        countCalls(parts, state, billing);
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

/**
 * Counts the calls of an operation against the rate limit. The first call is skipped, because the HTTP request was already counted. Failed
 * calls count too, because they cost the platform as much as successful calls.
 */
function countCalls({ limits }: PaidOperationParts, state: GraphqlRequest, { calls, charges }: BillingSession): void {
  Object.assign(state, { calls, charges });
  if (state.key && calls > 1) limits.addCalls(state.key.id, calls - 1);
}

function idempotencyOf({ args, variables, state, caller, isForbidden }: CheckedOperation) {
  const key = readIdempotencyKey(state.request);
  if (key === null || isForbidden) return null;
  const { document, operationName } = args;
  const text = document.loc?.source.body ?? '';
  const secrets = [caller.authToken, caller.proxy, caller.encryptionCode].map((secret) => secret?.expose() ?? null);
  const content = { document: text, operationName, variables, ...permissionsOf(caller) };
  return { key, content: requestContent('graphql', content, secrets) };
}

/** An answer is kept for API keys with the same permissions only, because another key might not be allowed to read all of its fields. */
function permissionsOf({ key }: Caller) {
  if (!key?.restrictions) return {};
  const { groups, readOnly } = key.restrictions;
  return { permissions: { groups: groups?.toSorted() ?? null, readOnly } };
}

function errorBodyOf(error: PosternError): string {
  return JSON.stringify({ errors: [refusal(error)] });
}
