import { request } from 'undici';
import { readDemoDataset } from '../../platform/sandbox/demo-dataset.ts';
import type { Config } from '../../shared/config/config.ts';
import { type Running, tryListen } from './check-port.ts';
import { describeClock } from './check-store.ts';
import { type Finding, fail, ok, reasonOf, skip } from './finding.ts';

const answerMs = 4_000;
const toleratedClockMs = 60_000;

/** Checks the platform of PLATFORM_URL, or the embedded sandbox of the running service or of the next start. */
export async function checkPlatform(config: Config, running: Running | null): Promise<readonly Finding[]> {
  if (config.platform.url !== null) {
    const todo = 'start it (`postern sandbox`) or mend PLATFORM_URL; without it there is an embedded sandbox';
    return [await askPlatform(config.platform.url, config, todo)];
  }
  if (running === null) return [await checkSandboxPort(config)];
  if (running.sandboxUrl === null) {
    return [skip('platform', 'the running Postern tells its address only in demo.json of its own DATA_DIR')];
  }
  return [await askPlatform(running.sandboxUrl, config, `restart the service at ${running.origin}`)];
}

/** Checks only the port, because the embedded sandbox runs only while the service runs. */
async function checkSandboxPort({ port: servicePort, sandbox: { port } }: Config): Promise<Finding> {
  const todo = 'set SANDBOX_PORT to another one; 0 takes any free one';
  if (port !== 0 && port === servicePort) return fail('platform', `SANDBOX_PORT and PORT are both ${port}`, todo);
  const fault = await tryListen('127.0.0.1', port);
  if (fault === 'EADDRINUSE') {
    return fail('platform', `port ${port} of the embedded sandbox is taken`, `stop what uses it, or ${todo}`);
  }
  if (fault !== null) return fail('platform', `the sandbox cannot listen on port ${port} (${fault})`, todo);
  return ok('platform', `the embedded sandbox, which starts with the service${port === 0 ? '' : ` on port ${port}`}`);
}

async function askPlatform(origin: string, config: Config, todo: string): Promise<Finding> {
  let answer: { ms: number; aheadMs: number | null };
  let seed: string;
  try {
    seed = (await readDemoDataset(origin, answerMs)).seed;
    answer = await ping(origin);
  } catch (error) {
    // The error's own message names PLATFORM_URL, which may not be the source of this address.
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return fail('platform', `${origin} does not answer as a sandbox platform: ${reasonOf(cause)}`, todo);
  }
  const { ms, aheadMs } = answer;
  if (ms > config.platform.timeoutMs) {
    const late = `${origin} took ${ms.toFixed(0)} ms to answer, PLATFORM_TIMEOUT_MS is ${config.platform.timeoutMs}`;
    return fail('platform', late, 'set PLATFORM_TIMEOUT_MS higher, or see what keeps the platform busy');
  }
  if (aheadMs !== null && Math.abs(aheadMs) > toleratedClockMs) {
    const apart = `the clock of ${origin} is ${describeClock(aheadMs)}`;
    return fail('platform', apart, 'let NTP set the clocks of both machines');
  }
  const clock = aheadMs === null ? 'it does not tell its clock' : 'its clock agrees with ours';
  return ok('platform', `sandbox at ${origin}, seed ${seed}, answers in ${ms.toFixed(0)} ms, ${clock}`);
}

async function ping(origin: string): Promise<{ ms: number; aheadMs: number | null }> {
  const sentAt = Date.now();
  const started = performance.now();
  const { headers, body } = await request(`${origin}/api/ping`, { signal: AbortSignal.timeout(answerMs) });
  await body.dump();
  const ms = performance.now() - started;
  const told = typeof headers['date'] === 'string' ? Date.parse(headers['date']) : Number.NaN;
  // The header has whole seconds, so it is half a second behind on average.
  return { ms, aheadMs: Number.isNaN(told) ? null : told + 500 - (sentAt + ms / 2) };
}
