// Writes the files in schema/ and the printed parts of documents, which derive from the code.
import { writeFileSync } from 'node:fs';
import { readArguments } from './bench/frame.ts';
import { printedFiles } from './printed-files.ts';

readArguments(
  `npm run print

Writes the files that derive from the code, and the printed tables of documents:
${Object.keys(printedFiles)
  .map((name) => `  ${name}\n`)
  .join('')}`,
  {},
);

for (const [name, print] of Object.entries(printedFiles)) {
  writeFileSync(new URL(`../${name}`, import.meta.url), print());
}
