import { resolve } from 'node:path';
import { isLoopbackHost } from '../model/loopback.ts';
import type { Micros } from '../model/money.ts';
import { Secret } from '../secrets/secret.ts';
import { type CheckedSettings, type LogFormat, type LogLevel, type SettingName, settings } from './settings.ts';

/** Environment variables before they are checked. An empty variable counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Config {
  readonly host: string;
  /** The base address that callers use; `null` if it is not set. */
  readonly publicUrl: string | null;
  readonly port: number;
  readonly dataDir: string;
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
  readonly platform: {
    /** The address of a sandbox that another process runs, or `null` for the embedded sandbox. */
    readonly url: string | null;
    readonly timeoutMs: number;
  };
  readonly sandbox: { readonly port: number; readonly activity: boolean };
  /** Calls a minute of each API key; 0 for no limit. */
  readonly rateLimit: number;
  /** Open live streams for each API key, in each process. */
  readonly maxStreamsPerKey: number;
  readonly limits: {
    /** Requests a minute without a valid API key for each client address; 0 for no limit. */
    readonly unauthenticated: number;
    /** CIDR blocks. */
    readonly trustedProxies: readonly string[];
    /** Concurrent requests of one API key; 0 for no limit. */
    readonly concurrentRequests: number;
    readonly requestsInFlight: number;
    readonly eventLoopDelayMs: number;
    readonly connections: number;
  };
  readonly graphql: {
    /** Highest worst-case cost of one request. */
    readonly costLimit: Micros;
    /** Largest response in bytes. */
    readonly bytesLimit: number;
    readonly timeoutMs: number;
    readonly introspection: boolean;
    /** The path of a file, or `null`. */
    readonly trustedDocuments: string | null;
    readonly trustedOnly: boolean;
  };
  readonly webhooks: { readonly allowLocalhost: boolean };
  /** CIDR blocks that callers' addresses may be in besides public ones. */
  readonly outboundAllow: readonly string[];
  readonly secrets: {
    /** `null`: the key is in a file of DATA_DIR, which the first start creates. */
    readonly secretKeys: readonly Secret<Buffer>[] | null;
    /** `null` for the embedded store. */
    readonly mongodbUrl: Secret | null;
    readonly metricsToken: Secret | null;
  };
}

/** A wrong setting: the problem, and settings that solve it. `example`: the settings are only one of many that do. */
export interface ConfigFault {
  readonly detail: string;
  readonly kind: 'example' | 'use';
  readonly settings: string;
}

/** Lists all settings that are wrong. Each line names the setting, the problem and an example or the settings to use. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly ConfigFault[];
  readonly lines: readonly string[];

  constructor(faults: readonly ConfigFault[]) {
    const lines = faults.map((fault) => {
      return `${fault.detail}. ${fault.kind === 'example' ? 'Example:' : 'Use'} ${fault.settings}`;
    });
    super(lines.join('\n'));
    this.faults = faults;
    this.lines = lines;
  }
}

/** Returns the checked settings with their defaults, frozen. Throws one `ConfigError` that lists all problems. */
export function readConfig(env: Environment): Config {
  const checked = checkSettings(env);
  const faults = findContradictions(checked);
  if (faults.length > 0) throw new ConfigError(faults);
  return freeze(checked);
}

function checkSettings(env: Environment): CheckedSettings {
  const faults: ConfigFault[] = [];
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const name of Object.keys(settings) as SettingName[]) {
    const text = env[name]?.trim() || undefined;
    const result = settings[name].check(text);
    if (typeof result === 'string') faults.push(describeFault(name, text ?? '', result));
    else values[name] = result.value;
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return values as CheckedSettings;
}

function describeFault(name: SettingName, text: string, problem: string): ConfigFault {
  // An address may contain a password, also in a setting that accepts none.
  const shown = 'secret' in settings[name] ? '' : ` ("${text.replace(/\/\/[^/]*@/, '//…@')}")`;
  return example(`${name}${shown} ${problem}`, name);
}

function example(detail: string, name: SettingName, value = settings[name].example): ConfigFault {
  return { detail, kind: 'example', settings: `${name}=${value}` };
}

function findContradictions(checked: CheckedSettings): ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (checked.PLATFORM_URL !== null && checked.PLATFORM_KIND === null) {
    const detail = 'PLATFORM_URL is set without PLATFORM_KIND, which names the protocol of the platform';
    faults.push(example(detail, 'PLATFORM_KIND', 'sandbox'));
  }
  if (checked.PLATFORM_URL === null && checked.PLATFORM_KIND !== null) {
    const detail = 'PLATFORM_KIND is set without PLATFORM_URL. Unset it for the embedded sandbox';
    faults.push(example(detail, 'PLATFORM_URL', 'http://127.0.0.1:4001'));
  }
  if (checked.MONGODB_URL !== null && checked.SECRET_KEY === null) {
    const detail =
      'MONGODB_URL is set without SECRET_KEY, which all processes of one database must share. Make a key, keep it safe and ' +
      'give it to each process';
    faults.push(example(detail, 'SECRET_KEY'));
  }
  if (checked.GRAPHQL_TRUSTED_ONLY && checked.GRAPHQL_TRUSTED_DOCUMENTS === null) {
    const detail = 'GRAPHQL_TRUSTED_ONLY is set without GRAPHQL_TRUSTED_DOCUMENTS, so all documents would be refused';
    faults.push(example(detail, 'GRAPHQL_TRUSTED_DOCUMENTS'));
  }
  // Every platform is a sandbox so far, and its demo credentials are well known.
  if (!isLoopbackHost(checked.HOST) && !checked.SANDBOX_PUBLIC) {
    const detail = `HOST ("${checked.HOST}") can be reached from other machines, and the demo credentials of sandbox mode are well known`;
    faults.push({ detail, kind: 'use', settings: 'HOST=127.0.0.1, or SANDBOX_PUBLIC=1 to allow this' });
  }
  return faults;
}

function freeze(checked: CheckedSettings): Config {
  return Object.freeze({
    host: checked.HOST,
    publicUrl: checked.PUBLIC_URL,
    port: checked.PORT,
    dataDir: resolve(checked.DATA_DIR),
    log: { level: checked.LOG_LEVEL, format: checked.LOG_FORMAT },
    platform: Object.freeze({ url: checked.PLATFORM_URL, timeoutMs: checked.PLATFORM_TIMEOUT_MS }),
    sandbox: Object.freeze({ port: checked.SANDBOX_PORT, activity: checked.SANDBOX_ACTIVITY }),
    rateLimit: checked.RATE_LIMIT,
    maxStreamsPerKey: checked.MAX_STREAMS_PER_KEY,
    limits: Object.freeze({
      unauthenticated: checked.UNAUTHENTICATED_RATE_LIMIT,
      trustedProxies: Object.freeze([...checked.TRUSTED_PROXIES]),
      concurrentRequests: checked.MAX_CONCURRENT_REQUESTS,
      requestsInFlight: checked.MAX_REQUESTS_IN_FLIGHT,
      eventLoopDelayMs: checked.MAX_EVENT_LOOP_DELAY_MS,
      connections: checked.MAX_CONNECTIONS,
    }),
    graphql: Object.freeze({
      costLimit: checked.GRAPHQL_MAX_COST,
      bytesLimit: checked.GRAPHQL_MAX_RESPONSE_BYTES,
      timeoutMs: checked.GRAPHQL_TIMEOUT_MS,
      introspection: checked.GRAPHQL_INTROSPECTION,
      trustedDocuments: checked.GRAPHQL_TRUSTED_DOCUMENTS,
      trustedOnly: checked.GRAPHQL_TRUSTED_ONLY,
    }),
    // Every platform is a sandbox so far.
    webhooks: Object.freeze({ allowLocalhost: checked.ALLOW_LOCALHOST_WEBHOOKS ?? true }),
    outboundAllow: Object.freeze([...checked.OUTBOUND_ALLOW]),
    secrets: Object.freeze({
      secretKeys: checked.SECRET_KEY && Object.freeze(checked.SECRET_KEY.map((key) => new Secret(key))),
      mongodbUrl: checked.MONGODB_URL === null ? null : new Secret(checked.MONGODB_URL),
      metricsToken: checked.METRICS_TOKEN === null ? null : new Secret(checked.METRICS_TOKEN),
    }),
  });
}
