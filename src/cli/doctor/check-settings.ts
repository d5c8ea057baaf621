import {
  type Config,
  ConfigError,
  type ConfigFault,
  type Environment,
  readConfig,
} from '../../shared/config/config.ts';
import { settings } from '../../shared/config/settings.ts';
import { type Finding, fail, ok } from './finding.ts';

const oldestNode = [20, 19] as const;

/** Reads the settings like a start would. The configuration is `null` if a start would refuse them. */
export function checkSettings(env: Environment): { config: Config | null; findings: readonly Finding[] } {
  try {
    const config = readConfig(env);
    const set = Object.keys(settings).filter((name) => env[name]?.trim());
    return { config, findings: [ok('config', set.length === 0 ? 'all defaults' : `right; set: ${set.join(', ')}`)] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: null, findings: error.faults.map(asFinding) };
  }
}

function asFinding({ detail, kind, settings: right }: ConfigFault): Finding {
  return fail('config', detail, `${kind === 'example' ? 'for example' : 'use'} ${right}`);
}

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok('node', `Node ${version}`);
  const needed = oldestNode.join('.');
  return fail('node', `Node ${version} is older than ${needed}`, `install Node ${needed} or a later one`);
}
