import { request } from 'undici';
import { adapters } from '../../platform/adapters.ts';
import { readDemoDataset } from '../../platform/sandbox/demo-dataset.ts';
import type { Config } from '../../shared/config/config.ts';
import { type Running, tryListen } from './check-port.ts';
import { describeClock } from './check-store.ts';
import { checkAppToken } from './check-x.ts';
import { type Finding, fail, passed, reasonOf, skip } from './finding.ts';

const answerMs = 4_000;
const toleratedClockMs = 60_000;

/** Checks the platform of PLATFORM_URL, or the embedded sandbox of the running service or of the next start. */
export async function checkPlatform(config: Config, running: Running | null): Promise<readonly Finding[]> {
  if (config.platform.url !== null) {
    const start = config.platform.demo ? 'start it (`postern sandbox`) or ' : '';
    const todo = `${start}correct PLATFORM_URL; without it the embedded sandbox is used`;
    const { jetstreamUrl } = config.platform;
    const jetstream = jetstreamUrl === null ? [] : [checkJetstream(jetstreamUrl)];
    const { kind, url } = config.platform;
    const appToken = kind === 'x' ? checkAppToken(url, config) : [];
    return (await Promise.all([askPlatform(url, config, todo), ...jetstream, appToken])).flat();
  }
  if (running === null) return [await checkSandboxPort(config)];
  if (running.sandboxUrl === null) {
    return [
      skip(
        'platform',
        'the address of the sandbox is known only from demo.json in the DATA_DIR of the running Postern',
      ),
    ];
  }
  return [await askPlatform(running.sandboxUrl, config, `restart the service at ${running.origin}`)];
}

/** Checks only the port, because the embedded sandbox runs only while the service runs. */
async function checkSandboxPort({ port: servicePort, sandbox: { port } }: Config): Promise<Finding> {
  const todo = 'set SANDBOX_PORT to another one; 0 takes any free one';
  if (port !== 0 && port === servicePort) return fail('platform', `SANDBOX_PORT and PORT are both ${port}`, todo);
  const problem = await tryListen('127.0.0.1', port);
  if (problem === 'EADDRINUSE') {
    return fail('platform', `port ${port} of the embedded sandbox is taken`, `stop what uses it, or ${todo}`);
  }
  if (problem !== null) return fail('platform', `the sandbox cannot listen on port ${port} (${problem})`, todo);
  return passed(
    'platform',
    `the embedded sandbox, which starts with the service${port === 0 ? '' : ` on port ${port}`}`,
  );
}

async function askPlatform(origin: string, config: Config, todo: string): Promise<Finding> {
  let answer: { ms: number; aheadMs: number | null };
  let name = `${config.platform.kind} at ${origin}`;
  try {
    if (config.platform.demo) name += `, seed ${(await readDemoDataset(origin, answerMs)).seed}`;
    const { path, status } = adapters[config.platform.kind].ping;
    answer = await ping(origin + path, status);
  } catch (error) {
    // The error's own message mentions PLATFORM_URL, but the address may come from another source, so only the cause is shown.
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return fail(
      'platform',
      `${origin} does not respond like a platform of the kind ${config.platform.kind}: ${reasonOf(cause)}`,
      todo,
    );
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
  const clock = aheadMs === null ? 'its responses have no Date header' : 'its clock agrees with ours';
  return passed('platform', `${name}, answers in ${ms.toFixed(0)} ms, ${clock}`);
}

/** Any HTTP response shows that a server listens there. Whether it is a Jetstream is not checked. */
async function checkJetstream(origin: string): Promise<Finding> {
  try {
    const { body } = await request(origin.replace(/^ws/, 'http'), { signal: AbortSignal.timeout(answerMs) });
    await body.dump();
    return passed('jetstream', `${origin} responds`);
  } catch (error) {
    return fail(
      'jetstream',
      `${origin} does not respond: ${reasonOf(error)}`,
      'correct ATPROTO_JETSTREAM_URL, or unset it',
    );
  }
}

async function ping(url: string, expected: number): Promise<{ ms: number; aheadMs: number | null }> {
  const sentAt = Date.now();
  const started = performance.now();
  const { statusCode, headers, body } = await request(url, { signal: AbortSignal.timeout(answerMs) });
  await body.dump();
  if (statusCode !== expected) throw new Error(`status ${statusCode}`);
  const ms = performance.now() - started;
  const told = typeof headers['date'] === 'string' ? Date.parse(headers['date']) : Number.NaN;
  // The `Date` header has whole seconds, so it is half a second late on average.
  return { ms, aheadMs: Number.isNaN(told) ? null : told + 500 - (sentAt + ms / 2) };
}
