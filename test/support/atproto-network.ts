import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

const script = '.ci/atproto/network.js';

export interface AtprotoAddresses {
  readonly pdsUrl: string;
  readonly plcUrl: string;
  readonly appViewUrl: string;
  readonly postgresUrl: string;
  readonly jetstreamUrl: string;
}

/** The official AT Protocol servers, started by `.ci/atproto/network.js`. */
export interface AtprotoNetwork extends AtprotoAddresses {
  stop(): Promise<void>;
}

/**
 * Returns why the network cannot run here, or `null` if it can. CI installs everything (`.ci/run`) and sets `ATPROTO_REQUIRED`, so that
 * nothing is skipped there.
 */
export function atprotoMissing(): string | null {
  if (process.env['ATPROTO_REQUIRED'] === '1') return null;
  const missing = [
    ...(existsSync('.ci/atproto/node_modules/@atproto/dev-env') ? [] : ['npm ci --prefix .ci/atproto']),
    ...(existsSync('/usr/lib/postgresql') && existsSync('/usr/bin/redis-server')
      ? []
      : ['apt-get install postgresql redis-server']),
  ];
  if (missing.length === 0) return null;
  return `The tests on the AT Protocol's own servers are skipped. To run them: ${missing.join(' && ')} (CONTRIBUTING.md)`;
}

/** Starts the network. Tries again if another process took one of the free ports that the network had chosen. */
export async function startAtprotoNetwork(...options: readonly '--rate-limits'[]): Promise<AtprotoNetwork> {
  return start(options)
    .catch(() => start(options))
    .catch(() => start(options));
}

async function start(options: readonly '--rate-limits'[]): Promise<AtprotoNetwork> {
  const child = spawn(process.execPath, [script, ...options], { stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: ${errors}`)));
  });
  return {
    ...(JSON.parse(line) as AtprotoAddresses),
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
