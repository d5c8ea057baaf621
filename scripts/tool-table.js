import { tools } from '../dist/mcp/tools.js';
import { formatDollars } from '../dist/shared/model/money.js';
import { code, table } from './markdown-table.js';

/** Returns a table of all tools for agents, for docs/agents.md. */
export function toolTable() {
  const rows = tools.map(({ action, policy, definition }) => [
    code(definition.name),
    action.summary,
    code(policy),
    action.price === 0 ? 'free' : formatDollars(action.price),
  ]);
  return table(['tool', 'does', 'policy', 'price'], rows);
}
