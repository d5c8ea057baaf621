import { createServer } from 'node:net';
import { join } from 'node:path';
import { request } from 'undici';
import type { Config } from '../../shared/config/config.ts';
import { readIfThere } from './check-disk.ts';
import { type Finding, fail, passed, reasonOf, warn } from './finding.ts';

const answerMs = 3_000;

/** A Postern service that runs on this machine. */
export interface Running {
  readonly origin: string;
  /** The URL of the service's platform; `null` if the service does not use this DATA_DIR. */
  readonly sandboxUrl: string | null;
}

/** Checks that a service can listen on the port, or that one is already listening. */
export async function checkPort(config: Config): Promise<{ running: Running | null; findings: readonly Finding[] }> {
  const demo = await readDemo(config.demoDir);
  const wanted = config.port === 0 ? null : originOf(config);
  const isOurs = demo !== null && (wanted === null || new URL(demo.origin).port === new URL(wanted).port);
  const origin = isOurs ? demo.origin : wanted;
  const uptime = origin === null ? null : await askUptime(origin);
  if (origin !== null && uptime !== null) {
    const running = { origin, sandboxUrl: isOurs ? demo.sandboxUrl : null };
    return { running, findings: [await describeRunning(running, uptime)] };
  }
  return { running: null, findings: [await describeFree(config)] };
}

async function describeRunning({ origin, sandboxUrl }: Running, uptime: number): Promise<Finding> {
  const problem = await askReady(origin);
  if (problem !== null) {
    const todo = 'see the other lines and its log';
    return fail('port', `a Postern service runs at ${origin}, but is not ready: ${problem}`, todo);
  }
  if (sandboxUrl !== null) return passed('port', `a Postern service runs at ${origin}, for ${uptime} s, and is ready`);
  const todo = 'set DATA_DIR to its folder, or PORT to another one for a service of this DATA_DIR';
  return warn('port', `the Postern service at ${origin} does not use this DATA_DIR`, todo);
}

async function describeFree({ host, port }: Config): Promise<Finding> {
  const problem = await tryListen(host, port);
  const named = `${host}:${port}`;
  if (problem === null) return passed('port', port === 0 ? `PORT=0 takes any free one of ${host}` : `${named} is free`);
  if (problem === 'EADDRINUSE') {
    return fail('port', `${named} is taken, and not by a Postern`, 'stop what uses it, or set PORT to another one');
  }
  if (problem === 'EACCES') {
    return fail('port', `${named} needs permissions that this user does not have`, 'set PORT to 1024 or higher');
  }
  return fail('port', `HOST is no address of this machine (${host}: ${problem})`, 'for example HOST=127.0.0.1');
}

/** Tries to listen on the port. Returns `null` on success, otherwise the error code of the system. */
export function tryListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}

/** Reads `demo.json`, which has the URLs of the last service that started with this DATA_DIR and of its platform. */
async function readDemo(demoDir: string): Promise<{ origin: string; sandboxUrl: string } | null> {
  try {
    const demo = JSON.parse((await readIfThere(join(demoDir, 'demo.json'))) ?? 'null');
    return { origin: new URL(demo.baseUrl).origin, sandboxUrl: new URL(demo.sandboxUrl).origin };
  } catch {
    // An unreadable file is ignored, because it only helps to find the service and the next start writes it again.
    return null;
  }
}

function originOf({ host, port }: Config): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

async function askUptime(origin: string): Promise<number | null> {
  try {
    const { data } = await ask(`${origin}/healthz`);
    return typeof data?.uptime_s === 'number' ? data.uptime_s : null;
  } catch {
    return null;
  }
}

async function askReady(origin: string): Promise<string | null> {
  try {
    const { status, error } = await ask(`${origin}/readyz`);
    return status === true ? null : String(error);
  } catch (error) {
    return reasonOf(error);
  }
}

interface Answer {
  status?: unknown;
  data?: { uptime_s?: unknown } | null;
  error?: unknown;
}

async function ask(url: string): Promise<Answer> {
  const { body } = await request(url, { signal: AbortSignal.timeout(answerMs) });
  return (await body.json()) as Answer;
}
