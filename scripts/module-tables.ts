import { code, table } from './markdown-table.ts';
import described from './modules.json' with { type: 'json' };

const { modules, packages } = described;

/** Returns the tables of scripts/modules.json in Markdown, for ARCHITECTURE.md. */
export function moduleTables(): string {
  const moduleRows = modules.map(({ module, holds, mayImport }) => [code(module), holds, importList(mayImport)]);
  const packageRows = packages.map(({ packages: names, onlyIn }) => [
    names.map(code).join(', '),
    onlyIn.map(code).join(', '),
  ]);
  return `${table(['module', 'holds', 'may import'], moduleRows)}\n${table(['packages', 'only in'], packageRows)}`;
}

function importList(names: string[]): string {
  if (names.length === 0) return 'nothing';
  return names.includes('*') ? 'everything' : names.map(code).join(', ');
}
