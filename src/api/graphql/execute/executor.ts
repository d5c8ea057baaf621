import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { compiledSize } from './compiled-size.ts';

/** An operation is compiled after this many charged executions. Operations that are sent only once are never compiled. */
const usesBeforeCompiling = 5;
/**
 * The maximum estimated size of generated code in characters, for one operation and for all operations together. Measured: the real code
 * has half as many characters, and a slow compilation takes 25 ms.
 */
const maxSize = { ofOne: 1_000_000, ofAll: 32_000_000 };
/** graphql-jit need not capture stack traces, because the original error has one. */
const options = { disablingCapturingStackErrors: true };
/** Compiling blocks the event loop, so it may use at most this fraction of the time. */
const maxShareOfTime = 0.05;

/**
 * Executes operations. Compiles an operation that is executed often, which reduces the cost of resolving its fields by 80 %. Interprets
 * operations whose generated code would be too large.
 */
export class Executor {
  readonly #schema: GraphQLSchema;
  /** The number of charged executions of each operation. Infinity for an operation that cannot be compiled. */
  readonly #uses = new WeakMap<OperationDefinitionNode, number>();
  readonly #compiled = new LRUCache<OperationDefinitionNode, CompiledQuery>({
    maxSize: maxSize.ofAll,
    dispose: (_compiled, operation) => void this.#uses.delete(operation),
  });
  #compilesAgainAt = 0;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** The number of compiled operations in the cache. */
  get compiled(): number {
    return this.#compiled.size;
  }

  execute(args: ExecutionArgs, operation: OperationDefinitionNode): ExecutionResult | Promise<ExecutionResult> {
    const compiled = this.#compiled.get(operation) ?? this.#compile(args, operation);
    if (!compiled) return execute(args) as ExecutionResult | Promise<ExecutionResult>;
    return compiled.query(args.rootValue, args.contextValue, args.variableValues) as
      | ExecutionResult
      | Promise<ExecutionResult>;
  }

  /** Counts a charged execution. Free executions are not counted, so that nobody can cause compilations without paying. */
  countUse(operation: OperationDefinitionNode): void {
    this.#uses.set(operation, (this.#uses.get(operation) ?? 0) + 1);
  }

  #compile({ document }: ExecutionArgs, operation: OperationDefinitionNode): CompiledQuery | null {
    const uses = this.#uses.get(operation) ?? 0;
    const startedAt = performance.now();
    if (uses < usesBeforeCompiling || uses === Number.POSITIVE_INFINITY || startedAt < this.#compilesAgainAt)
      return null;
    const size = compiledSize(this.#schema, document, operation, maxSize.ofOne);
    const compiled = size === null ? null : compileQuery(this.#schema, document, operation.name?.value ?? '', options);
    const endedAt = performance.now();
    this.#compilesAgainAt = endedAt + (endedAt - startedAt) / maxShareOfTime;
    if (size === null || compiled === null || !isCompiledQuery(compiled)) {
      this.#uses.set(operation, Number.POSITIVE_INFINITY);
      return null;
    }
    this.#compiled.set(operation, compiled, { size });
    return compiled;
  }
}
