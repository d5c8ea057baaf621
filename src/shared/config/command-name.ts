import { basename, relative } from 'node:path';

const [, script = ''] = process.argv;

/** The command with which this process was started, for messages that suggest further commands. */
export const commandName = basename(script) === 'postern' ? 'postern' : `node ${scriptName()}`;

function scriptName(): string {
  // Tests and benchmarks start other scripts.
  if (basename(script) !== 'postern.js') return 'scripts/postern.js';
  const path = relative('', script);
  return path.startsWith('..') ? script : path;
}
