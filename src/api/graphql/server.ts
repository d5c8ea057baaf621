import { type FormattedExecutionResult, getOperationAST } from 'graphql';
import type { AccountService } from '../../billing/account-service.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { errorReasons } from '../../shared/errors/reasons.ts';
import { formatDollars, type Micros } from '../../shared/model/money.ts';
import { localsOf } from '../http/request-locals.ts';
import { Documents } from './document/documents.ts';
import type { TrustedDocuments } from './document/trusted-documents.ts';
import { formatResult, thrownErrors } from './errors.ts';
import { executeOperation, type OperationParts } from './execute/execute.ts';
import { Executor } from './execute/executor.ts';
import type { Params } from './read-params.ts';
import type { GraphqlRequest, LiveResults } from './request.ts';
import { schema } from './schema/schema.ts';

export type GraphqlOptions = OperationParts['options'] & {
  introspection: boolean;
  trusted: TrustedDocuments | null;
};

export interface GraphqlParts extends Omit<OperationParts, 'executor' | 'options'> {
  accounts: AccountService;
  options: GraphqlOptions;
}

/** Handles GraphQL requests whose parameters have been read. */
export class GraphqlServer {
  readonly #parts: GraphqlParts & OperationParts;
  readonly #documents: Documents;

  constructor(parts: GraphqlParts) {
    this.#parts = { ...parts, executor: new Executor(schema) };
    this.#documents = new Documents(parts.options);
  }

  async answer(params: Params, state: GraphqlRequest): Promise<FormattedExecutionResult | LiveResults> {
    try {
      const document = this.#documents.documentOf(params);
      const operationName = (params['operationName'] ?? null) as string | null;
      const operation = getOperationAST(document, operationName);
      if (!operation)
        throw new PosternError('invalid_document', 'Could not determine what operation to execute: see operationName');
      if (operation.operation === 'mutation' && state.request.method === 'GET') {
        state.response.setHeader('allow', 'POST');
        throw new PosternError('method_not_allowed', 'Wrong method: a mutation must be sent by POST');
      }
      const variables = (params['variables'] ?? {}) as Record<string, unknown>;
      const result = await executeOperation(this.#parts, { document, operation, operationName, variables }, state);
      return 'results' in result ? result : await this.#finish(result, state);
    } catch (thrown) {
      return this.refuse(thrown, state);
    }
  }

  /** Returns the result for a request that is refused as a whole. */
  refuse(thrown: unknown, state: GraphqlRequest): Promise<FormattedExecutionResult> {
    return this.#finish(formatResult({ errors: thrownErrors(thrown) }, state, this.#parts.logger), state);
  }

  /**
   * Adds `extensions.cost` and `extensions.credits`. The remaining credit is `null` if the request has no key or the store is unavailable.
   */
  async #finish(result: FormattedExecutionResult, state: GraphqlRequest): Promise<FormattedExecutionResult> {
    const { accounts, options, recorder } = this.#parts;
    const { quoted, settled, key, response } = state;
    const { account, error } = localsOf(response);
    // A result without data belongs to a request that was refused as a whole. `Session` counts the errors of calls.
    if (result.data === undefined && account !== undefined && error !== undefined) {
      recorder.failed(account, 'graphql', errorReasons[error].code);
    }
    const charged = formatDollars(settled?.charged ?? 0);
    const remaining = settled?.remaining ?? (key && (await accounts.remaining(key.account).catch(() => null)));
    return Object.assign(result, {
      extensions: {
        cost: { quoted: formatDollars(quoted), actual: charged, limit: formatDollars(options.costLimit) },
        credits: {
          charged,
          remaining: remaining === null ? null : formatDollars(remaining),
          actions: actionsOf(state),
        },
      },
    });
  }
}

function actionsOf({ charges, settled }: GraphqlRequest) {
  const actions = new Map<string, { calls: number; micros: Micros }>();
  for (const { action, micros } of charges) {
    const sum = actions.get(action) ?? { calls: 0, micros: 0 };
    actions.set(action, { calls: sum.calls + 1, micros: sum.micros + (settled ? micros : 0) });
  }
  return [...actions].map(([name, { calls, micros }]) => ({ name, calls, charged: formatDollars(micros) }));
}
