// Validates an AsyncAPI document, by default schema/asyncapi.yaml, with the official parser. Prints each finding. Exits with 1 if there is
// an error or a warning. Needs no network after the parser is installed.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DiagnosticSeverity, Parser } from '@asyncapi/parser';

const file = process.argv[2] ?? fileURLToPath(new URL('../../schema/asyncapi.yaml', import.meta.url));
const { document, diagnostics } = await new Parser().parse(readFileSync(file, 'utf8'), { source: file });
// Informational findings only recommend later versions of AsyncAPI, which fewer tools can read.
const findings = diagnostics.filter(({ severity }) => severity <= DiagnosticSeverity.Warning);
for (const { severity, code, path, message } of findings) {
  process.stderr.write(`${DiagnosticSeverity[severity]} ${code} at ${path.join('.')}: ${message}\n`);
}
if (document === undefined || findings.length > 0) process.exitCode = 1;
else process.stdout.write(`${file}: a valid AsyncAPI ${document.version()} document\n`);
