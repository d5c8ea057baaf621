// Ends the process with one line if Node is too old. Programs import this file first and Postern's modules later with `import()`, because
// those modules fail to load in an old Node. This file uses only syntax that old versions know.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
const [major, minor] = process.versions.node.split('.').map(Number);
const [oldestMajor, oldestMinor] = needed.split('.').map(Number);

if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  process.stderr.write(`postern: Node ${needed} or newer is needed, and this is Node ${process.versions.node}\n`);
  process.exit(1);
}
