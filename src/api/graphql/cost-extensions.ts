import type { ExecutionResult } from 'graphql';
import type { AccountService } from '../../billing/account-service.ts';
import { formatDollars, type Micros } from '../../shared/model/money.ts';
import type { GraphqlRequest } from './request.ts';

/** Adds `extensions.cost` and `extensions.credits`, which every response has. */
export async function addCostExtensions(
  result: ExecutionResult,
  request: GraphqlRequest,
  accounts: AccountService,
  limit: Micros,
): Promise<ExecutionResult> {
  const { quoted, settled } = request;
  const charged = formatDollars(settled?.charged ?? 0);
  return {
    ...result,
    extensions: {
      ...result.extensions,
      cost: { quoted: formatDollars(quoted), actual: charged, limit: formatDollars(limit) },
      credits: { charged, remaining: await remaining(request, accounts), actions: actionsOf(request) },
    },
  };
}

/** Returns the remaining credit; `null` if the request has no key, or if the store is not available. */
async function remaining({ settled, key }: GraphqlRequest, accounts: AccountService): Promise<string | null> {
  if (settled) return formatDollars(settled.remaining);
  if (!key) return null;
  return accounts.remaining(key.account).then(formatDollars, () => null);
}

function actionsOf({ charges, settled }: GraphqlRequest) {
  const actions = new Map<string, { calls: number; micros: Micros }>();
  for (const { action, micros } of charges) {
    const sum = actions.get(action) ?? { calls: 0, micros: 0 };
    actions.set(action, { calls: sum.calls + 1, micros: sum.micros + (settled ? micros : 0) });
  }
  return [...actions].map(([name, { calls, micros }]) => ({ name, calls, charged: formatDollars(micros) }));
}
