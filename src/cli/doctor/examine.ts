import { request } from 'undici';
import {
  type Config,
  ConfigError,
  type ConfigProblem,
  type Environment,
  readConfig,
} from '../../shared/config/config.ts';
import { removedSettings, settings } from '../../shared/config/settings.ts';
import { checkDisk, checkSecretKey } from './check-disk.ts';
import { checkPlatform } from './check-platform.ts';
import { checkPort, type Running } from './check-port.ts';
import { checkStore } from './check-store.ts';
import { checkLive } from './check-x.ts';
import { type Finding, fail, hasFailure, inTime, passed, reasonOf, skip, warn } from './finding.ts';

const answerMs = 3_000;

/** Any HTTP response shows that a server listens. A missing collector is only a warning, because calls do not need it. */
async function checkTraces({ traces }: Config): Promise<readonly Finding[]> {
  if (traces === null) return [];
  const { endpoint, protocol } = traces;
  try {
    const { body } = await request(endpoint, { signal: AbortSignal.timeout(answerMs) });
    await body.dump();
    return [passed('traces', `go to ${endpoint} (${protocol}), which responds`)];
  } catch (error) {
    const todo =
      'start the collector, correct OTEL_EXPORTER_OTLP_ENDPOINT (its port for HTTP is usually 4318), or unset it';
    return [warn('traces', `${endpoint} does not respond: ${reasonOf(error)}. Traces would be lost`, todo)];
  }
}

const limitMs = 5_000;
/** The check of the store has its own timeout and reports its progress. This timeout handles a disk that hangs before that check. */
const storeLimitMs = 10_000;
const liveLimitMs = 30_000;

export interface Examination {
  readonly findings: readonly Finding[];
  /** The URL of the running service. */
  readonly runningAt: string | null;
}

/**
 * Checks everything that a service needs, without changing anything. Ends within 15 s, even if a check hangs. `live` adds reads of the
 * platform that the operator pays for, and up to 30 s.
 */
export async function examine(env: Environment, live = false): Promise<Examination> {
  const { config, findings } = checkSettings(env);
  // scripts/node-version.js has already checked the version.
  const begun = [...findings, passed('node', `Node ${process.versions.node}`)];
  if (config === null) {
    const rest = ['disk', 'secret_key', 'store', 'clock', 'port', 'platform'];
    return { findings: [...begun, ...rest.map((name) => skip(name, 'the settings are wrong'))], runningAt: null };
  }
  const [onDisk, [runningAt, onNetwork], onTraces] = await Promise.all([
    examineDisk(config),
    examineNetwork(config),
    checkTraces(config),
  ]);
  const onLive = live ? await examineLive(config, env) : [];
  return { findings: [...begun, ...onDisk, ...onNetwork, ...onTraces, ...onLive], runningAt };
}

async function examineLive({ platform: { kind, url } }: Config, env: Environment): Promise<readonly Finding[]> {
  if (kind !== 'x' || url === null) return [skip('x_live', 'the platform is not X')];
  const check = () => checkLive(url, env['POSTERN_AUTH_TOKEN']);
  return inTime('x_live', liveLimitMs, check, 'see that X responds');
}

async function examineDisk(config: Config): Promise<readonly Finding[]> {
  const { secretKeys, mongodbUrl } = config.secrets;
  const diskTodo = 'check that the disk of DATA_DIR responds';
  const disk = await inTime('disk', limitMs, () => checkDisk(config), diskTodo);
  const noDisk = hasFailure(disk);
  const because = 'DATA_DIR cannot be used';
  const [secretKey, store] = await Promise.all([
    noDisk && secretKeys === null
      ? [skip('secret_key', because)]
      : inTime('secret_key', limitMs, () => checkSecretKey(config), `see who may read it. ${diskTodo}`),
    noDisk && mongodbUrl === null
      ? [skip('store', because), skip('clock', because)]
      : inTime('store', storeLimitMs, () => checkStore(config), diskTodo),
  ]);
  // A readable key may still be the wrong one, which only the check of the store detects.
  const isWrong = store.some(({ name }) => name === 'secret_key');
  return [...disk, ...(isWrong ? [] : secretKey), ...store];
}

async function examineNetwork(config: Config): Promise<readonly [string | null, readonly Finding[]]> {
  const seen: { running: Running | null } = { running: null };
  const lookAtPort = async () => {
    const { running, findings } = await checkPort(config);
    seen.running = running;
    return findings;
  };
  const port = await inTime('port', limitMs + 2_000, lookAtPort, 'see what listens there');
  const platform = await inTime(
    'platform',
    limitMs,
    () => checkPlatform(config, seen.running),
    'see that the platform runs, and that this machine may connect to it',
  );
  return [seen.running?.origin ?? null, [...port, ...platform]];
}

/** Validates the settings in the same way as a start. The configuration is `null` if a start would refuse them. */
function checkSettings(env: Environment): { config: Config | null; findings: readonly Finding[] } {
  try {
    const config = readConfig(env);
    const set = Object.keys(settings).filter((name) => env[name]?.trim());
    const finding = passed('config', set.length === 0 ? 'all defaults' : `valid; set: ${set.join(', ')}`);
    return { config, findings: [finding, ...config.removed.map(removedFinding)] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: null, findings: error.problems.map(asFinding) };
  }
}

function removedFinding(name: string): Finding {
  return warn('config', `${name} has no effect any more`, `unset it; ${removedSettings[name]}`);
}

function asFinding({ detail, kind, settings: right }: ConfigProblem): Finding {
  return fail('config', detail, `${kind === 'example' ? 'for example' : 'use'} ${right}`);
}
