import { policies, tools } from '../dist/mcp/tools.js';
import { code, table } from './markdown-table.js';

/** Returns a table of the tools that each policy adds, for docs/agents.md. */
export function toolTable() {
  const namesOf = (each) =>
    tools.filter(({ policy }) => policy === each).map(({ definition }) => code(definition.name));
  return table(
    ['policy', 'tools'],
    policies.map((policy) => [code(policy), namesOf(policy).join(', ')]),
  );
}
