// Ends the process with one line if Node is too old. Imported first, by a program that imports everything else later: with an old Node,
// modules of Postern fail before they run. Only old syntax is used here.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
const [major, minor] = process.versions.node.split('.').map(Number);
const [oldestMajor, oldestMinor] = needed.split('.').map(Number);

if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  process.stderr.write(`postern: Node ${needed} or newer is needed, and this is Node ${process.versions.node}\n`);
  process.exit(1);
}
