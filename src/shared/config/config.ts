import { resolve } from 'node:path';
import { isLoopbackHost } from '../model/loopback.ts';
import type { Micros } from '../model/money.ts';
import { Secret } from '../secrets/secret.ts';
import {
  type CheckedSettings,
  type LogFormat,
  type LogLevel,
  type PlatformKind,
  platformKinds,
  type SettingName,
  settings,
} from './settings.ts';

/** Environment variables before validation. An empty variable counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Config {
  readonly host: string;
  /** The base URL that callers use; `null` if it is not configured. */
  readonly publicUrl: string | null;
  readonly port: number;
  /** The origins of web pages that may call the API from a browser (CORS). */
  readonly corsOrigins: readonly string[];
  /** The number of processes that serve requests. */
  readonly workers: number;
  readonly dataDir: string;
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
  /** The collector of traces; `null` if traces are off. */
  readonly traces: { readonly endpoint: string; readonly protocol: 'http/protobuf' | 'http/json' } | null;
  readonly platform: {
    /** The URL of a sandbox in another process; `null` for the embedded sandbox. */
    readonly url: string | null;
    readonly timeoutMs: number;
    /**
     * The maximum time in milliseconds for which the platform may hold a request for the events of an active account; 0 disables waiting.
     */
    readonly waitMs: number;
    readonly kind: PlatformKind;
    /** True in sandbox mode, where the service creates demo credentials that are publicly known. */
    readonly demo: boolean;
    /** The origin of the directory of did:plc identifiers. */
    readonly plcUrl: string;
    /** The origin of a Jetstream; `null` if there is none. */
    readonly jetstreamUrl: string | null;
  };
  readonly sandbox: { readonly port: number; readonly activity: boolean };
  /** The maximum number of calls per minute for each API key; 0 for no limit. */
  readonly rateLimit: number;
  /** The maximum number of open live streams for each API key in each process. */
  readonly maxStreamsPerKey: number;
  readonly limits: {
    /** The maximum number of requests per minute without a valid API key for each client address; 0 for no limit. */
    readonly unauthenticated: number;
    /** The maximum number of failed calls per minute for each account; 0 for no limit. */
    readonly failedCalls: number;
    /** CIDR blocks of reverse proxies. */
    readonly trustedProxies: readonly string[];
    /** The maximum number of concurrent requests of one API key; 0 for no limit. */
    readonly concurrentRequests: number;
    readonly requestsInFlight: number;
    readonly eventLoopDelayMs: number;
    readonly eventLoopTurnMs: number;
    readonly commitMs: number;
    readonly connections: number;
  };
  readonly graphql: {
    /** The maximum worst-case cost of one request. */
    readonly costLimit: Micros;
    /** The maximum size of a response in bytes. */
    readonly bytesLimit: number;
    readonly timeoutMs: number;
    readonly introspection: boolean;
    /** The path of the file with trusted documents; `null` if there is none. */
    readonly trustedDocuments: string | null;
    readonly trustedOnly: boolean;
  };
  readonly webhooks: { readonly allowLocalhost: boolean };
  readonly eventLimits: { readonly perMinute: number; readonly perDay: number; readonly bytesPerDay: number };
  /** CIDR blocks of non-public addresses that callers may use in URLs. */
  readonly outboundAllow: readonly string[];
  readonly secrets: {
    /** The configured secret keys. `null` means that the key is in a file in DATA_DIR, which is created at the first start. */
    readonly secretKeys: readonly Secret<Buffer>[] | null;
    /** The URL of MongoDB; `null` for the embedded store. */
    readonly mongodbUrl: Secret | null;
    readonly metricsToken: Secret | null;
  };
}

/** An invalid setting, with settings that solve the problem. `example` is true if other settings would solve it too. */
export interface ConfigProblem {
  readonly detail: string;
  readonly kind: 'example' | 'use';
  readonly settings: string;
}

/** Lists all invalid settings. Each line contains the name of the setting, the problem, and an example or the settings to use. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];
  readonly lines: readonly string[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map((problem) => {
      return `${problem.detail}. ${problem.kind === 'example' ? 'Example:' : 'Use'} ${problem.settings}`;
    });
    super(lines.join('\n'));
    this.problems = problems;
    this.lines = lines;
  }
}

/** Returns the validated settings with their defaults, frozen. Throws one `ConfigError` that lists all problems. */
export function readConfig(env: Environment): Config {
  const checked = checkSettings(env);
  const problems = findContradictions(checked);
  if (problems.length > 0) throw new ConfigError(problems);
  return freeze(checked);
}

function checkSettings(env: Environment): CheckedSettings {
  const problems: ConfigProblem[] = [];
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const name of Object.keys(settings) as SettingName[]) {
    const text = env[name]?.trim() || undefined;
    const result = settings[name].check(text);
    if (typeof result === 'string') problems.push(describeProblem(name, text ?? '', result));
    else values[name] = result.value;
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return values as CheckedSettings;
}

function describeProblem(name: SettingName, text: string, problem: string): ConfigProblem {
  const shown = 'secret' in settings[name] ? '' : ` ("${withoutUrlSecrets(text)}")`;
  return example(`${name}${shown} ${problem}`, name);
}

/** Hides the passwords and the query in a text of URLs, even in settings that allow neither. */
function withoutUrlSecrets(text: string): string {
  return text.replace(/\/\/[^/]*@/g, '//…@').replace(/(\/\/[^?#]*[?#]).+/s, '$1…');
}

function example(detail: string, name: SettingName, value = settings[name].example): ConfigProblem {
  return { detail, kind: 'example', settings: `${name}=${value}` };
}

function findContradictions(checked: CheckedSettings): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (checked.PLATFORM_URL !== null && checked.PLATFORM_KIND === null) {
    const detail = 'PLATFORM_URL is set without PLATFORM_KIND, which names the protocol of the platform';
    problems.push(example(detail, 'PLATFORM_KIND', 'sandbox'));
  }
  if (checked.PLATFORM_URL === null && checked.PLATFORM_KIND !== null) {
    const detail = 'PLATFORM_KIND is set without PLATFORM_URL. Unset it for the embedded sandbox';
    problems.push(example(detail, 'PLATFORM_URL', 'http://127.0.0.1:4001'));
  }
  if (checked.MONGODB_URL !== null && checked.SECRET_KEY === null) {
    const detail =
      'MONGODB_URL is set without SECRET_KEY, which all processes of one database must share. Make a key, keep it safe and ' +
      'give it to each process';
    problems.push(example(detail, 'SECRET_KEY'));
  }
  if (checked.GRAPHQL_TRUSTED_ONLY && checked.GRAPHQL_TRUSTED_DOCUMENTS === null) {
    const detail = 'GRAPHQL_TRUSTED_ONLY is set without GRAPHQL_TRUSTED_DOCUMENTS, so all documents would be refused';
    problems.push(example(detail, 'GRAPHQL_TRUSTED_DOCUMENTS'));
  }
  if (isDemo(checked) && !isLoopbackHost(checked.HOST) && !checked.SANDBOX_PUBLIC) {
    const detail = `HOST ("${checked.HOST}") can be reached from other machines, and the demo credentials of sandbox mode are well known`;
    problems.push({ detail, kind: 'use', settings: 'HOST=127.0.0.1, or SANDBOX_PUBLIC=1 to allow this' });
  }
  return problems;
}

/** The embedded sandbox is the default. */
function kindOf({ PLATFORM_KIND: kind }: CheckedSettings): PlatformKind {
  return kind ?? 'sandbox';
}

function isDemo(checked: CheckedSettings): boolean {
  return platformKinds[kindOf(checked)].demo;
}

function freeze(checked: CheckedSettings): Config {
  return Object.freeze({
    host: checked.HOST,
    publicUrl: checked.PUBLIC_URL,
    port: checked.PORT,
    corsOrigins: Object.freeze([...checked.CORS_ORIGINS]),
    workers: checked.WORKERS,
    dataDir: resolve(checked.DATA_DIR),
    log: { level: checked.LOG_LEVEL, format: checked.LOG_FORMAT },
    traces:
      checked.OTEL_EXPORTER_OTLP_ENDPOINT === null
        ? null
        : Object.freeze({
            endpoint: checked.OTEL_EXPORTER_OTLP_ENDPOINT,
            protocol: checked.OTEL_EXPORTER_OTLP_PROTOCOL,
          }),
    platform: Object.freeze({
      kind: kindOf(checked),
      demo: isDemo(checked),
      url: checked.PLATFORM_URL,
      timeoutMs: checked.PLATFORM_TIMEOUT_MS,
      waitMs: checked.PLATFORM_WAIT_MS,
      plcUrl: checked.ATPROTO_PLC_URL,
      jetstreamUrl: checked.ATPROTO_JETSTREAM_URL,
    }),
    sandbox: Object.freeze({ port: checked.SANDBOX_PORT, activity: checked.SANDBOX_ACTIVITY }),
    rateLimit: checked.RATE_LIMIT,
    maxStreamsPerKey: checked.MAX_STREAMS_PER_KEY,
    limits: Object.freeze({
      unauthenticated: checked.UNAUTHENTICATED_RATE_LIMIT,
      failedCalls: checked.FAILED_CALL_RATE_LIMIT,
      trustedProxies: Object.freeze([...checked.TRUSTED_PROXIES]),
      concurrentRequests: checked.MAX_CONCURRENT_REQUESTS,
      requestsInFlight: checked.MAX_REQUESTS_IN_FLIGHT,
      eventLoopDelayMs: checked.MAX_EVENT_LOOP_DELAY_MS,
      eventLoopTurnMs: checked.MAX_EVENT_LOOP_TURN_MS,
      commitMs: checked.MAX_COMMIT_MS,
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
    webhooks: Object.freeze({
      // The demo API key is publicly known, so with SANDBOX_PUBLIC everyone could send requests to services of this machine.
      allowLocalhost: checked.ALLOW_LOCALHOST_WEBHOOKS ?? (isDemo(checked) && !checked.SANDBOX_PUBLIC),
    }),
    eventLimits: Object.freeze({
      perMinute: checked.POLLER_EVENTS_PER_MINUTE,
      perDay: checked.POLLER_EVENTS_PER_DAY,
      bytesPerDay: checked.ACCOUNT_EVENT_MIB_PER_DAY * 1_024 * 1_024,
    }),
    outboundAllow: Object.freeze([...checked.OUTBOUND_ALLOW]),
    secrets: Object.freeze({
      secretKeys: checked.SECRET_KEY && Object.freeze(checked.SECRET_KEY.map((key) => new Secret(key))),
      mongodbUrl: checked.MONGODB_URL === null ? null : new Secret(checked.MONGODB_URL),
      metricsToken: checked.METRICS_TOKEN === null ? null : new Secret(checked.METRICS_TOKEN),
    }),
  });
}
