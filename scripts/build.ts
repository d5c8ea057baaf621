// Builds the outputs in dist/. Skips an output whose inputs have not changed since the last build.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, outputs, root } from './build/outputs.ts';
import { compressAsFarAsPossible } from './build/pages.ts';

const { values, positionals } = parseArgs({
  options: { clean: { type: 'boolean' }, small: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  allowPositionals: true,
});
if (values.help) {
  const lines = Object.entries(outputs).map(([name, { about }]) => `  ${name.padEnd(10)}${about}`);
  process.stdout.write(
    `Usage: npm run build -- [--clean] [--small] [output …]\n\nBuilds these outputs, or all:\n${lines.join('\n')}\n\n` +
      'An output is skipped if its inputs did not change since it was made; --clean deletes dist/ first.\n' +
      '--small compresses the files of the pages as far as possible, which takes half a minute.\n',
  );
} else {
  if (values.small) compressAsFarAsPossible();
  if (values.clean) rmSync(join(root, 'dist'), { recursive: true, force: true });
  await build(positionals.length > 0 ? positionals : Object.keys(outputs));
}
