import {
  type Config,
  ConfigError,
  type ConfigProblem,
  type Environment,
  readConfig,
} from '../../shared/config/config.ts';
import { removedSettings, settings } from '../../shared/config/settings.ts';
import { type Finding, fail, passed, warn } from './finding.ts';

/** Validates the settings in the same way as a start. The configuration is `null` if a start would refuse them. */
export function checkSettings(env: Environment): { config: Config | null; findings: readonly Finding[] } {
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
