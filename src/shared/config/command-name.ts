import { basename, relative } from 'node:path';

const [, script = ''] = process.argv;
const path = relative('', script);

/** The command with which this process was started, for messages with further commands. */
export const commandName =
  basename(script) === 'postern'
    ? 'postern'
    : `node ${!script.endsWith('postern.js') ? 'scripts/postern.js' : path.startsWith('..') ? script : path}`;
