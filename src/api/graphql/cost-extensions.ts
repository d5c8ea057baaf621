import type { ExecutionResult } from 'graphql';
import type { AccountService } from '../../billing/account-service.ts';
import { formatDollars, type Micros } from '../../shared/model/money.ts';
import type { GraphqlRequest } from './request.ts';

/**
 * Adds `extensions.cost` and `extensions.credits` to a response. Returns a promise only if the remaining credit must be read from the store.
 * The remaining credit is `null` if the request has no key or the store is unavailable.
 */
export function addCostExtensions(
  result: ExecutionResult,
  request: GraphqlRequest,
  accounts: AccountService,
  limit: Micros,
): ExecutionResult | Promise<ExecutionResult> {
  const { quoted, settled, key } = request;
  const charged = formatDollars(settled?.charged ?? 0);
  const add = (remaining: string | null): ExecutionResult =>
    Object.assign(result, {
      extensions: {
        cost: { quoted: formatDollars(quoted), actual: charged, limit: formatDollars(limit) },
        credits: { charged, remaining, actions: actionsOf(request) },
      },
    });
  if (settled) return add(formatDollars(settled.remaining));
  if (!key) return add(null);
  return accounts
    .remaining(key.account)
    .then(formatDollars, () => null)
    .then(add);
}

function actionsOf({ charges, settled }: GraphqlRequest) {
  const actions = new Map<string, { calls: number; micros: Micros }>();
  for (const { action, micros } of charges) {
    const sum = actions.get(action) ?? { calls: 0, micros: 0 };
    actions.set(action, { calls: sum.calls + 1, micros: sum.micros + (settled ? micros : 0) });
  }
  return [...actions].map(([name, { calls, micros }]) => ({ name, calls, charged: formatDollars(micros) }));
}
