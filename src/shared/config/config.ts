import { isLoopbackHost } from '../model/loopback.ts';
import { Secret } from '../secrets/secret.ts';
import {
  type CheckedSettings,
  type PlatformKind,
  platformKinds,
  removedSettings,
  type SettingName,
  settings,
} from './settings.ts';

/** Environment variables before validation. An empty variable counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The validated settings, grouped. */
export type Config = ReturnType<typeof configOf>;

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
  return configOf(checked, env);
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
  if (platformUrl(checked) === null && checked.PLATFORM_KIND !== null) {
    const detail = 'PLATFORM_KIND is set without PLATFORM_URL. Unset it for the embedded sandbox';
    problems.push(example(detail, 'PLATFORM_URL', 'http://127.0.0.1:4001'));
  }
  if (checked.X_CLIENT_SECRET !== null && checked.X_CLIENT_ID === null) {
    problems.push(example('X_CLIENT_SECRET is set without X_CLIENT_ID, to which it belongs', 'X_CLIENT_ID'));
  }
  const { protocol, hostname } = new URL(platformUrl(checked) ?? 'https://localhost');
  const sent = (['X_BEARER_TOKEN', 'X_CLIENT_SECRET'] as const).find((name) => checked[name] !== null);
  if (sent && protocol === 'http:' && !isLoopbackHost(hostname)) {
    const detail = `${sent} is set, and PLATFORM_URL is an http address of another machine, to which it would be readable`;
    problems.push(example(detail, 'PLATFORM_URL', 'https://api.x.com'));
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

function platformUrl(checked: CheckedSettings): string | null {
  return checked.PLATFORM_URL ?? platformKinds[kindOf(checked)].url;
}

function isDemo(checked: CheckedSettings): boolean {
  return platformKinds[kindOf(checked)].demo;
}

function configOf(checked: CheckedSettings, env: Environment) {
  return Object.freeze({
    host: checked.HOST,
    publicUrl: checked.PUBLIC_URL,
    port: checked.PORT,
    corsOrigins: Object.freeze([...checked.CORS_ORIGINS]),
    dataDir: checked.DATA_DIR.used,
    /** The folder that DATA_DIR names. It differs from `dataDir` if Postern works in a subfolder. */
    demoDir: checked.DATA_DIR.given,
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
      /** True if other machines reach the gateway, but not its embedded sandbox, whose pages a sign-in needs. */
      hidesPages: isDemo(checked) && checked.SANDBOX_PUBLIC && platformUrl(checked) === null,
      url: platformUrl(checked),
      timeoutMs: checked.PLATFORM_TIMEOUT_MS,
      waitMs: checked.PLATFORM_WAIT_MS,
      plcUrl: checked.ATPROTO_PLC_URL,
      jetstreamUrl: checked.ATPROTO_JETSTREAM_URL,
      hasMessages: checked.MESSAGES,
      accountCaps: { percent: checked.X_ACCOUNT_SHARE, dailyMicros: checked.X_ACCOUNT_DOLLARS_PER_DAY },
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
    /** Names of settings that are set, but have no effect any more. */
    removed: Object.freeze(Object.keys(removedSettings).filter((name) => env[name]?.trim())),
    secrets: Object.freeze({
      secretKeys: checked.SECRET_KEY && Object.freeze(checked.SECRET_KEY.map((key) => new Secret(key))),
      mongodbUrl: checked.MONGODB_URL === null ? null : new Secret(checked.MONGODB_URL),
      metricsToken: checked.METRICS_TOKEN === null ? null : new Secret(checked.METRICS_TOKEN),
      xAppToken: checked.X_BEARER_TOKEN === null ? null : new Secret(checked.X_BEARER_TOKEN),
      xApp:
        checked.X_CLIENT_ID === null
          ? null
          : Object.freeze({
              clientId: checked.X_CLIENT_ID,
              clientSecret: checked.X_CLIENT_SECRET === null ? null : new Secret(checked.X_CLIENT_SECRET),
            }),
    }),
  });
}
