import { tools } from '../src/mcp/tools.ts';
import { formatDollars } from '../src/shared/model/money.ts';
import { code, table } from './markdown-table.ts';

/** Returns a table of all tools for agents, for docs/agents.md. */
export function toolTable(): string {
  const rows = tools.map(({ action, policy, definition }) => [
    code(definition.name),
    action.summary,
    code(policy),
    action.price === 0 ? 'free' : formatDollars(action.price),
  ]);
  return table(['tool', 'does', 'policy', 'price'], rows);
}
