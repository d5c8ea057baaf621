import { type ExecutionArgs, type ExecutionResult, GraphQLError, NoSchemaIntrospectionCustomRule } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin, type YogaInitialContext } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { ActionPipeline } from '../../actions/pipeline/action-pipeline.ts';
import type { AccountService } from '../../billing/account-service.ts';
import type { ConcurrencyLimit } from '../../billing/concurrency-limit.ts';
import type { RateLimiter } from '../../billing/rate-limiter.ts';
import { asPosternError, type PosternError } from '../../shared/errors/postern-error.ts';
import type { Micros } from '../../shared/model/money.ts';
import { logFailure } from '../../shared/observability/failures.ts';
import type { Logger } from '../../shared/observability/logger.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { noteError } from '../http/request-locals.ts';
import { addCostExtensions } from './cost-extensions.ts';
import { formatErrors, refusal } from './errors.ts';
import { Executor } from './executor.ts';
import { limitDocuments } from './limits.ts';
import { perform } from './perform.ts';
import type { Params } from './read-params.ts';
import type { GraphqlRequest, LiveResults } from './request.ts';
import { schema } from './schema/schema.ts';
import { type TrustedDocuments, takeTrustedDocuments } from './trusted-documents.ts';

export interface GraphqlOptions {
  /** Of one request's worst case. */
  costLimit: Micros;
  /** Of one response. */
  bytesLimit: number;
  timeoutMs: number;
  introspection: boolean;
  trusted: TrustedDocuments | null;
}

export interface GraphqlParts {
  pipeline: ActionPipeline;
  accounts: AccountService;
  limiter: RateLimiter;
  streams: ConcurrencyLimit;
  runtime: Runtime;
  logger: Logger;
  options: GraphqlOptions;
}

interface Context {
  params: Params;
  state: GraphqlRequest;
}

/** A request, once it was read. */
export interface Asked extends Context {
  method: string;
}

/** Of documents that are kept parsed and validated, or as errors. */
const cachedDocuments = { max: 1_000, maxSize: 1_000_000 };

/**
 * Everything that a request for GraphQL passes once it was read, up to the result. Of Yoga it uses what comes after HTTP:
 * what a caller writes into `Host`, the address or `Accept` is ours to understand.
 */
export function graphqlServer(parts: GraphqlParts) {
  const { options, accounts, logger } = parts;
  const yoga = createYoga<Context>({
    schema,
    // In the order in which a request meets them.
    plugins: [
      takeTrustedDocuments(options.trusted),
      limitDocuments({ suggest: options.introspection }),
      ...(options.introspection ? [] : [refuseIntrospection()]),
      executePaid(parts),
    ],
    parserAndValidationCache: { documentCache: documentCache(), errorCache: documentCache(), validationCache: true },
    extraParamNames: ['documentId'],
    // Each of these is done elsewhere, or not at all.
    cors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
    maskedErrors: false,
    maxRequestBodySize: false,
    multipart: false,
  });
  const finish = (result: ExecutionResult, state: GraphqlRequest) =>
    addCostExtensions(describeErrors(result, state, logger), state, accounts, options.costLimit);

  const answer = async ({ method, params, state }: Asked): Promise<ExecutionResult | LiveResults> => {
    const request = { method } as Request;
    let result: ExecutionResult | LiveResults;
    try {
      const context = { request, params, state } as Context & YogaInitialContext;
      result = (await yoga.getResultForParams({ params: params as GraphQLParams, request }, context)) as
        | ExecutionResult
        | LiveResults;
    } catch (thrown) {
      result = { errors: [thrown instanceof GraphQLError ? thrown : refusal(asPosternError(thrown))] };
    }
    return 'results' in result ? result : finish(result, state);
  };
  return Object.assign(answer, {
    /** A result for what went wrong before there was a document. */
    refuse: (error: PosternError, state: GraphqlRequest) => finish({ errors: [refusal(error)] }, state),
  });
}

/** Formats the errors, and notes and logs each of them once, though one call may have failed for several fields. */
function describeErrors(result: ExecutionResult, state: GraphqlRequest, logger: Logger): ExecutionResult {
  if (!result.errors) return result;
  const hasData = result.data !== undefined && result.data !== null;
  const errors = formatErrors(result.errors, hasData, (error) => {
    if (state.noted.has(error)) return;
    state.noted.add(error);
    noteError(state.response, error);
    logFailure(logger, state.requestId, error);
  });
  state.errors = errors.length;
  return { ...result, errors };
}

function documentCache<Value extends object>() {
  const cache = new LRUCache<string, Value>({
    ...cachedDocuments,
    sizeCalculation: (_value, text) => Math.max(1, text.length),
  });
  return { get: (text: string) => cache.get(text), set: (text: string, value: Value) => void cache.set(text, value) };
}

function refuseIntrospection(): Plugin {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(NoSchemaIntrospectionCustomRule);
    },
  };
}

function executePaid({ pipeline, limiter, streams, runtime, logger, options }: GraphqlParts): Plugin<Context> {
  const format = (result: ExecutionResult, state: GraphqlRequest) => describeErrors(result, state, logger);
  const { costLimit, bytesLimit, timeoutMs } = options;
  const performing = {
    pipeline,
    limiter,
    streams,
    executor: new Executor(schema),
    runtime,
    format,
    costLimit,
    bytesLimit,
    timeoutMs,
  };
  return {
    onExecute({ args, setExecuteFn }) {
      const { state } = args.contextValue as unknown as Context;
      setExecuteFn((given: unknown) => perform(performing, given as ExecutionArgs, state));
    },
    onSubscribe({ args, setSubscribeFn }) {
      const { state } = args.contextValue as unknown as Context;
      setSubscribeFn((given: unknown) => perform(performing, given as ExecutionArgs, state) as never);
    },
  };
}
