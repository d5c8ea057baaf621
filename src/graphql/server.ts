import type { ServerResponse } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, NoSchemaIntrospectionCustomRule } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { AccountService } from '../billing/account-service.ts';
import type { RateLimiter } from '../billing/rate-limiter.ts';
import type { Core } from '../core/core.ts';
import type { PosternError } from '../errors/postern-error.ts';
import type { Micros } from '../model/money.ts';
import { logFailure } from '../observe/failures.ts';
import type { Logger } from '../observe/logger.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { ResponseType } from './accept.ts';
import { withBill } from './bill.ts';
import { formatErrors } from './errors.ts';
import { limitDocuments } from './limits.ts';
import { type Execute, perform } from './perform.ts';
import type { Params } from './read-params.ts';
import type { GraphqlRequest } from './request.ts';
import { schema } from './schema/schema.ts';
import { type TrustedDocuments, takeTrustedDocuments } from './trusted-documents.ts';

export interface GraphqlOptions {
  /** Of one request's worst case. */
  costLimit: Micros;
  timeoutMs: number;
  introspection: boolean;
  trusted: TrustedDocuments | null;
}

export interface GraphqlParts {
  core: Core;
  accounts: AccountService;
  limiter: RateLimiter;
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
  method: string | undefined;
  accept: ResponseType;
}

/** As Yoga is told; where it is mounted is its caller's affair. */
const path = '/graphql';

/** Of documents that are kept parsed and validated, or as errors. */
const cachedDocuments = { max: 1_000, maxSize: 1_000_000 };

/**
 * Everything that a request for GraphQL passes once it was read. Yoga is given no more of it than it needs: what a caller
 * writes into `Host`, the address or `Accept` is ours to understand.
 */
export function graphqlServer(parts: GraphqlParts) {
  const { options } = parts;
  const yoga = createYoga<Context>({
    schema,
    graphqlEndpoint: path,
    // In the order in which a request meets them.
    plugins: [
      takeParams(),
      takeTrustedDocuments(options.trusted),
      limitDocuments({ suggest: options.introspection }),
      ...(options.introspection ? [] : [refuseIntrospection()]),
      bill(parts),
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
  return async ({ method = '', accept, params, state }: Asked, response: ServerResponse): Promise<Response> => {
    // Nobody reads this body; without one it would look for a stream.
    const request = { method, url: path, headers: { host: 'localhost', accept }, body: 'read before' };
    return yoga.handleNodeRequestAndResponse(request, response, { params, state });
  };
}

function takeParams(): Plugin<object, Context> {
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      setRequestParser(() => serverContext.params as GraphQLParams);
    },
  };
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

/** Executes on a tab, and tells of every result what it cost and, in our words, what failed. */
function bill(parts: GraphqlParts): Plugin<Context> {
  const { core, limiter, runtime, logger, accounts, options } = parts;
  const format = (result: ExecutionResult, { requestId }: GraphqlRequest): ExecutionResult => {
    if (!result.errors) return result;
    const hasData = result.data !== undefined && result.data !== null;
    // Several fields may have failed of one call.
    const failures = new Set<PosternError>();
    const errors = formatErrors(result.errors, hasData, (failure) => failures.add(failure));
    for (const failure of failures) logFailure(logger, requestId, failure);
    return { ...result, errors };
  };
  const performing = { core, limiter, runtime, format, costLimit: options.costLimit, timeoutMs: options.timeoutMs };
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { state } = args.contextValue as unknown as Context;
      setExecuteFn((given: unknown) => perform(performing, given as ExecutionArgs, state, executeFn as Execute));
    },
    async onResultProcess({ result, setResult, serverContext }) {
      const { state } = serverContext as unknown as Context;
      setResult(await withBill(format(result as ExecutionResult, state), state, accounts, options.costLimit));
    },
  };
}
