import { policies, tools } from '../src/mcp/tools.ts';
import { code, table } from './markdown-table.ts';
import described from './modules.json' with { type: 'json' };

/** Returns the tables of scripts/modules.json in Markdown, for ARCHITECTURE.md. */
export function moduleTables(): string {
  const importList = (names: string[]) =>
    names.includes('*') ? 'everything' : names.map(code).join(', ') || 'nothing';
  const modules = described.modules.map(({ module, holds, mayImport }) => [code(module), holds, importList(mayImport)]);
  const packages = described.packages.map(({ packages: names, onlyIn }) => [importList(names), importList(onlyIn)]);
  return `${table(['module', 'holds', 'may import'], modules)}\n${table(['packages', 'only in'], packages)}`;
}

/** Returns a table of the tools that each policy adds, for docs/agents.md. */
export function toolTable(): string {
  const namesOf = (each: string) =>
    tools.filter(({ policy }) => policy === each).map(({ definition }) => code(definition.name));
  return table(
    ['policy', 'tools'],
    policies.map((policy) => [code(policy), namesOf(policy).join(', ')]),
  );
}
