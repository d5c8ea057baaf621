import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
} from 'graphql';
import { createYoga, type GraphQLParams, type Plugin, type YogaInitialContext } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { ActionPipeline } from '../../actions/pipeline/action-pipeline.ts';
import type { AccountService } from '../../billing/account-service.ts';
import type { CallRecorder } from '../../billing/call-recorder.ts';
import type { KeyLimits } from '../../billing/key-limits.ts';
import { asPosternError, type PosternError } from '../../shared/errors/postern-error.ts';
import { errorReasons } from '../../shared/errors/reasons.ts';
import type { Micros } from '../../shared/model/money.ts';
import { logFailure } from '../../shared/observability/failures.ts';
import type { Logger } from '../../shared/observability/logger.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { localsOf, noteError } from '../http/request-locals.ts';
import { addCostExtensions } from './cost-extensions.ts';
import { formatErrors, refusal } from './errors.ts';
import { Executor } from './executor.ts';
import { limitDocuments } from './limits.ts';
import { type PerformParts, perform } from './perform.ts';
import type { Params } from './read-params.ts';
import type { GraphqlRequest, LiveResults } from './request.ts';
import { schema } from './schema/schema.ts';
import { type TrustedDocuments, takeTrustedDocuments } from './trusted-documents.ts';

export interface GraphqlOptions {
  /** The maximum cost of one request in its worst case. */
  costLimit: Micros;
  /** The maximum size of a response in bytes. */
  bytesLimit: number;
  timeoutMs: number;
  introspection: boolean;
  trusted: TrustedDocuments | null;
}

export interface GraphqlParts {
  pipeline: ActionPipeline;
  accounts: AccountService;
  limits: KeyLimits;
  recorder: CallRecorder;
  runtime: Runtime;
  logger: Logger;
  options: GraphqlOptions;
}

interface Context {
  params: Params;
  state: GraphqlRequest;
}

/** A GraphQL request whose parameters have been read. */
export interface Asked extends Context {
  method: string;
}

/** The limits of each cache of parsed, validated and refused documents: entries, and total characters of their texts. */
const cachedDocuments = { max: 1_000, maxSize: 1_000_000 };

/** The parameters that most requests have. */
const usual: ReadonlySet<string> = new Set(['query', 'variables', 'operationName', 'extensions']);

/**
 * Returns a function that executes a request whose parameters have been read. Yoga's HTTP layer is not used, because `http.ts` handles
 * `Host`, the path and `Accept`.
 */
export function graphqlServer(parts: GraphqlParts) {
  const { options, accounts, recorder, logger } = parts;
  const performing = performParts(parts);
  /** The documents that Yoga has accepted, by their text. */
  const accepted = documentCache<DocumentNode>();
  const yoga = createYoga<Context>({
    schema,
    // The order of the plugins matters.
    plugins: [
      takeTrustedDocuments(options.trusted),
      limitDocuments({ suggest: options.introspection }),
      ...(options.introspection ? [] : [refuseIntrospection()]),
      executePaid(performing, accepted),
    ],
    parserAndValidationCache: { documentCache: documentCache(), errorCache: documentCache(), validationCache: true },
    extraParamNames: ['documentId'],
    // These features of Yoga are disabled, because this service implements them itself or does not need them.
    cors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
    maskedErrors: false,
    maxRequestBodySize: false,
    multipart: false,
  });
  const finish = (result: ExecutionResult, state: GraphqlRequest) => {
    const described = describeErrors(result, state, logger);
    const { account, error } = localsOf(state.response);
    // A result without data belongs to a request that was refused as a whole. `Session` counts the errors of calls.
    if (described.data === undefined && account !== undefined && error !== undefined) {
      recorder.failed(account, 'graphql', errorReasons[error].code);
    }
    return addCostExtensions(described, state, accounts, options.costLimit);
  };

  const answer = async ({ method, params, state }: Asked): Promise<ExecutionResult | LiveResults> => {
    let result: ExecutionResult | LiveResults;
    try {
      const { query, variables: variableValues, operationName } = params as GraphQLParams;
      // Yoga's hooks take 5 % of the time of a request. They are needed only to check a document, or a request that is not the usual one.
      const isUsual =
        method === 'POST' && !options.trusted?.only && Object.keys(params).every((name) => usual.has(name));
      const document = isUsual && query ? accepted.get(query) : undefined;
      if (document && getOperationAST(document, operationName)) {
        const args = { schema, document, variableValues, operationName, contextValue: null };
        result = await perform(performing, args, state);
      } else {
        const request = { method } as Request;
        const context = { request, params, state } as Context & YogaInitialContext;
        result = (await yoga.getResultForParams({ params: params as GraphQLParams, request }, context)) as
          | ExecutionResult
          | LiveResults;
      }
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

/** Converts the errors of a result to their public form. Logs each error once, because several fields may share the error of one call. */
function describeErrors(result: ExecutionResult, state: GraphqlRequest, logger: Logger): ExecutionResult {
  const { errors: thrown, ...rest } = result;
  if (!thrown) return result;
  const hasData = result.data !== undefined && result.data !== null;
  const errors = formatErrors(thrown, hasData, (error) => {
    if (state.noted.has(error)) return;
    state.noted.add(error);
    noteError(state.response, error);
    logFailure(logger, state.requestId, error);
  });
  state.errors = errors.length;
  // Errors come first (https://spec.graphql.org/October2021/#sec-Response-Format), also if the operation was compiled.
  return { errors, ...rest };
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

function performParts({ pipeline, limits, recorder, runtime, logger, options }: GraphqlParts): PerformParts {
  const format = (result: ExecutionResult, state: GraphqlRequest) => describeErrors(result, state, logger);
  const { costLimit, bytesLimit, timeoutMs } = options;
  const executor = new Executor(schema);
  return { pipeline, limits, recorder, executor, runtime, format, costLimit, bytesLimit, timeoutMs };
}

/** Executes documents as paid requests, and adds them to `accepted`. */
function executePaid(
  performing: PerformParts,
  accepted: ReturnType<typeof documentCache<DocumentNode>>,
): Plugin<Context> {
  return {
    onExecute({ args, setExecuteFn }) {
      const { params, state } = args.contextValue as unknown as Context;
      const { query } = params as GraphQLParams;
      if (query) accepted.set(query, args.document);
      setExecuteFn((given: unknown) => perform(performing, given as ExecutionArgs, state));
    },
    onSubscribe({ args, setSubscribeFn }) {
      const { state } = args.contextValue as unknown as Context;
      setSubscribeFn((given: unknown) => perform(performing, given as ExecutionArgs, state) as never);
    },
  };
}
