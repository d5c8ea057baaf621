import { policies, tools } from '../src/mcp/tools.ts';
import { code, table } from './markdown-table.ts';

/** Returns a table of the tools that each policy adds, for docs/agents.md. */
export function toolTable(): string {
  const namesOf = (each: string) =>
    tools.filter(({ policy }) => policy === each).map(({ definition }) => code(definition.name));
  return table(
    ['policy', 'tools'],
    policies.map((policy) => [code(policy), namesOf(policy).join(', ')]),
  );
}
