import { readFileSync } from 'node:fs';
import { code, table } from './markdown-table.js';

const { modules, packages } = JSON.parse(readFileSync(new URL('modules.json', import.meta.url), 'utf8'));

/** Returns the tables of scripts/modules.json in Markdown, for ARCHITECTURE.md. */
export function moduleTables() {
  const moduleRows = modules.map(({ module, holds, mayImport }) => [code(module), holds, importList(mayImport)]);
  const packageRows = packages.map(({ packages: names, onlyIn }) => [
    names.map(code).join(', '),
    onlyIn.map(code).join(', '),
  ]);
  return `${table(['module', 'holds', 'may import'], moduleRows)}\n${table(['packages', 'only in'], packageRows)}`;
}

function importList(names) {
  if (names.length === 0) return 'nothing';
  return names.includes('*') ? 'everything' : names.map(code).join(', ');
}
