import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import { type ExecutionArgs, type ExecutionResult, execute, NoSchemaIntrospectionCustomRule } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { AccountService } from '../billing/account-service.ts';
import type { RateLimiter } from '../billing/rate-limiter.ts';
import type { Core } from '../core/core.ts';
import type { Micros } from '../model/money.ts';
import { logFailure } from '../observe/failures.ts';
import type { Logger } from '../observe/logger.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { withBill } from './bill.ts';
import { formatErrors } from './errors.ts';
import { limitDocuments } from './limits.ts';
import { perform } from './perform.ts';
import type { GraphqlRequest } from './request.ts';
import { schema } from './schema/schema.ts';

export interface GraphqlOptions {
  /** Of one request's worst case. */
  costLimit: Micros;
  timeoutMs: number;
  introspection: boolean;
  /** Documents that may be asked for by their hash; `only`: no others are taken. */
  trusted: { documents: ReadonlyMap<string, string>; only: boolean } | null;
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
  state: GraphqlRequest;
}

/** Characters of documents that are kept parsed and validated. */
const cachedCharacters = 1_000_000;

/** Everything that a request for GraphQL passes once it was read. `path`: where it is mounted. */
export function graphqlServer(path: string, parts: GraphqlParts) {
  const { options } = parts;
  return createYoga<Context>({
    schema,
    graphqlEndpoint: path,
    // In the order in which a request meets them.
    plugins: [
      ...(options.trusted ? [takeTrustedDocuments(options.trusted)] : []),
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
}

function documentCache<Value extends object>() {
  const cache = new LRUCache<string, Value>({
    maxSize: cachedCharacters,
    sizeCalculation: (_value, text) => Math.max(1, text.length),
  });
  return { get: (text: string) => cache.get(text), set: (text: string, value: Value) => void cache.set(text, value) };
}

function takeTrustedDocuments({ documents, only }: NonNullable<GraphqlOptions['trusted']>): Plugin {
  return usePersistedOperations({
    allowArbitraryOperations: !only,
    getPersistedOperation: (hash) => documents.get(hash) ?? null,
    extractPersistedOperationId: (params) => {
      const { documentId, extensions } = params as { documentId?: unknown; extensions?: Record<string, unknown> };
      const persisted = extensions?.['persistedQuery'] as { sha256Hash?: unknown } | undefined;
      const id = documentId ?? persisted?.sha256Hash;
      return typeof id === 'string' ? id.replace(/^sha256:/, '') : null;
    },
  });
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
    const errors = formatErrors(result.errors, hasData, (failure) => logFailure(logger, requestId, failure));
    return { ...result, errors };
  };
  const performing = { core, limiter, runtime, format, costLimit: options.costLimit, timeoutMs: options.timeoutMs };
  return {
    onExecute({ args, setExecuteFn }) {
      const { state } = args.contextValue as unknown as Context;
      setExecuteFn((given: unknown) => perform(performing, given as ExecutionArgs, state, execute));
    },
    async onResultProcess({ result, setResult, serverContext }) {
      const { state } = serverContext as unknown as Context;
      setResult(await withBill(format(result as ExecutionResult, state), state, accounts, options.costLimit));
    },
  };
}
