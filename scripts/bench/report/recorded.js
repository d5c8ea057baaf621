import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';

/** Returns the time, the commit and the machine of a recorded run. */
export function describeRun() {
  return {
    at: new Date().toISOString(),
    commit: git('describe', '--always', '--dirty', '--exclude=*'),
    machine: `${cpus().length} cores of ${cpus()[0]?.model.trim() ?? 'an unknown processor'}, Node ${process.version}`,
  };
}

/** Rounds all numbers to four digits, because the machine cannot reproduce more. */
export function rounded(value) {
  return JSON.parse(
    JSON.stringify(value, (_key, item) => (typeof item === 'number' ? Number(item.toPrecision(4)) : item)),
  );
}

function git(...args) {
  return spawnSync('git', args, { encoding: 'utf8', cwd: import.meta.dirname }).stdout?.trim() || 'unknown';
}
