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
  /** The highest cost of one request, in its worst case. */
  costLimit: Micros;
  /** The largest response in bytes. */
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

/** A request whose parameters have been read. */
export interface Asked extends Context {
  method: string;
}

/** The size of each cache of parsed, validated or refused documents: entries, and characters of their texts. */
const cachedDocuments = { max: 1_000, maxSize: 1_000_000 };

/**
 * Returns a function that executes a request whose parameters have been read. Yoga is used without its HTTP layer: `Host`, the path
 * and `Accept` are read by `http.ts`.
 */
export function graphqlServer(parts: GraphqlParts) {
  const { options, accounts, logger } = parts;
  const yoga = createYoga<Context>({
    schema,
    // The plugins run in this order.
    plugins: [
      takeTrustedDocuments(options.trusted),
      limitDocuments({ suggest: options.introspection }),
      ...(options.introspection ? [] : [refuseIntrospection()]),
      executePaid(parts),
    ],
    parserAndValidationCache: { documentCache: documentCache(), errorCache: documentCache(), validationCache: true },
    extraParamNames: ['documentId'],
    // These features are off: this service implements them itself, or does without.
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
    /** Returns the result for an error that occurred before the parameters were read. */
    refuse: (error: PosternError, state: GraphqlRequest) => finish({ errors: [refusal(error)] }, state),
  });
}

/** Formats the errors. Notes and logs each error once, because several fields may share the error of one call. */
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
