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

/** Charged executions of an operation before it is compiled, so that an operation sent once never is. */
const usesBeforeCompiling = 5;
/** Estimated characters of generated code. Measured: half of that, compiled in 25 ms on the slow side. */
const maxSize = { ofOne: 1_000_000, ofAll: 32_000_000 };
/** The stack of an error is that of what was thrown. */
const options = { disablingCapturingStackErrors: true };
/** Compiling blocks the event loop: it takes at most this share of the time, whatever is sent. */
const maxShareOfTime = 0.05;

/**
 * Executes operations. One that is executed again and again is compiled, which makes its fields a fifth of the work. An
 * operation whose code would be too large is always interpreted.
 */
export class Executor {
  readonly #schema: GraphQLSchema;
  /** Charged executions; Infinity for an operation that cannot be compiled. */
  readonly #uses = new WeakMap<OperationDefinitionNode, number>();
  readonly #compiled = new LRUCache<OperationDefinitionNode, CompiledQuery>({
    maxSize: maxSize.ofAll,
    dispose: (_compiled, operation) => void this.#uses.delete(operation),
  });
  #compilesAgainAt = 0;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** Operations that are compiled at present. */
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

  /** Counts an execution for which something was charged. Free ones do not count, so compiling is not free work for anyone. */
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
