import type { Micros } from '../model/money.ts';
import {
  type Check,
  choice,
  cidrBlocks,
  dollarAmount,
  httpOrigin,
  keys32,
  mongodbUrl,
  onOff,
  publicUrl,
  webOrigins,
  webSocketOrigin,
  wholeNumber,
} from './checks.ts';
import { chooseDataDir } from './data-dir.ts';

/** An environment variable that configures Postern, with its description for operators and its validation. */
export interface Setting<T> {
  /** The default in the form that `--help` and docs/configuration.md show. */
  readonly defaultText: string;
  readonly about: string;
  readonly example: string;
  /** True if the value must not appear in messages. */
  readonly secret?: true;
  /**
   * Parses the text of the setting, or `undefined` if it is not set. Returns the value, or an error as a string that completes the sentence
   * "<NAME> …".
   */
  readonly check: (text: string | undefined) => { value: T } | string;
}

/** Declares a setting whose default can be written as text, such as `4000`. */
function withDefault<T>(defaultText: string, check: Check<T>) {
  return { defaultText, check: (text: string | undefined) => check(text ?? defaultText) };
}

/** Declares a setting whose default cannot be written as text. `defaultText` describes the default. */
function optional<T>(fallback: T, defaultText: string, check: Check<T & {}>) {
  return {
    defaultText,
    check: (text: string | undefined): { value: T } | string =>
      text === undefined ? { value: fallback } : check(text),
  };
}

/** The protocols of platforms. Each has an adapter in src/platform/adapters.ts. `demo`: its demo credentials are public. `url`: the default of PLATFORM_URL. */
export const platformKinds = {
  sandbox: { demo: true, url: null },
  atproto: { demo: false, url: null },
  x: { demo: false, url: 'https://api.x.com' },
} as const satisfies Record<string, { demo: boolean; url: string | null }>;
export type PlatformKind = keyof typeof platformKinds;

const port = wholeNumber(0, 65_535);

const xCredential: Check<string> = (text) =>
  /^[\x21-\x7e]{1,2048}$/.test(text) ? { value: text } : 'is not printable characters without spaces';

/** All settings. `--help` is printed from this table, and a test compares docs/configuration.md with it. */
export const settings = {
  HOST: {
    ...withDefault('127.0.0.1', (text) =>
      /^[\w.:-]+$/.test(text) ? { value: text } : 'is not a host name or address',
    ),
    about: 'Address to listen on.',
    example: '0.0.0.0',
  },
  PORT: {
    ...withDefault('4000', port),
    about: 'Port to listen on; 0 takes any free port.',
    example: '8080',
  },
  PUBLIC_URL: {
    ...optional<string | null>(null, 'none: the listening address if only this machine reaches it', publicUrl),
    about: 'Base address that callers use, for example behind a reverse proxy. /openapi.json names it as its server.',
    example: 'https://postern.example',
  },
  CORS_ORIGINS: {
    ...optional<string[]>([], 'none', webOrigins),
    about:
      'Origins, separated by commas, of the web pages whose programs may call /v1, /graphql and /mcp from a browser. A * is not accepted.',
    example: 'https://app.example,http://localhost:5173',
  },
  DATA_DIR: {
    ...withDefault('./data', chooseDataDir),
    about:
      'Folder of the embedded store, the sandbox, secret.key and demo.json. If the folder is not private, Postern works in its subfolder postern.',
    example: '/var/lib/postern',
  },
  SECRET_KEY: {
    ...optional<Buffer[] | null>(null, 'made on first start into DATA_DIR', keys32),
    about: '32 random bytes in base64. Several keys are separated by commas: the first encrypts, all decrypt.',
    example: '"$(openssl rand -base64 32)"',
    secret: true,
  },
  METRICS_TOKEN: {
    ...optional<string | null>(null, 'none: only this machine may read /metrics', (text) =>
      /^[\x21-\x7e]{16,256}$/.test(text) ? { value: text } : 'is not 16 to 256 printable characters without spaces',
    ),
    about: 'Bearer token that opens /metrics to other machines.',
    example: '"$(openssl rand -hex 16)"',
    secret: true,
  },
  MONGODB_URL: {
    ...optional<string | null>(null, 'none: the embedded store', mongodbUrl),
    about:
      'Replica set or sharded cluster that stores everything, in the database that its path names. Needs SECRET_KEY.',
    example: 'mongodb://db1.example,db2.example/postern?replicaSet=rs0',
    secret: true,
  },
  PLATFORM_URL: {
    ...optional<string | null>(null, 'the embedded sandbox', httpOrigin),
    about:
      'Origin of the platform. Needs PLATFORM_KIND. For the AT Protocol, the server where accounts log in. For X, https://api.x.com by default.',
    example: 'https://bsky.social',
  },
  PLATFORM_KIND: {
    ...optional<PlatformKind | null>(null, 'none', choice('sandbox', 'atproto', 'x')),
    about:
      "Protocol of PLATFORM_URL: sandbox for a sandbox that `postern sandbox` started, atproto for the AT Protocol (Bluesky), x for X's API.",
    example: 'atproto',
  },
  X_CLIENT_ID: {
    ...optional<string | null>(null, 'none', xCredential),
    about: "OAuth 2.0 client id of the operator's app at X, for sign-ins. Used only with PLATFORM_KIND=x.",
    example: 'bWRVa1NvcGc2T1FNaGk4',
  },
  X_CLIENT_SECRET: {
    ...optional<string | null>(null, 'none', xCredential),
    about: 'Client secret of a confidential app at X. Needs X_CLIENT_ID.',
    example: 'the secret that the console of X shows',
    secret: true,
  },
  X_BEARER_TOKEN: {
    ...optional<string | null>(null, 'none', xCredential),
    about:
      'App-only token of the app at X. With it, searches reach back further than seven days. Used only with PLATFORM_KIND=x.',
    example: 'the Bearer token that the console of X shows',
    secret: true,
  },
  X_ACCOUNT_SHARE: {
    ...withDefault('25', wholeNumber(1, 100)),
    about:
      "Percentage of X's app-wide rate limits that one account may use, in each process. Used only with PLATFORM_KIND=x.",
    example: '50',
  },
  X_ACCOUNT_DOLLARS_PER_DAY: {
    ...optional<Micros | null>(null, 'none', dollarAmount),
    about:
      'Dollars that the calls of one account may cost at X in a UTC day, in each process. Used only with PLATFORM_KIND=x.',
    example: '5',
  },
  ATPROTO_PLC_URL: {
    ...withDefault('https://plc.directory', httpOrigin),
    about: 'Origin of the directory of did:plc identifiers. Used only with PLATFORM_KIND=atproto.',
    example: 'http://127.0.0.1:2582',
  },
  ATPROTO_JETSTREAM_URL: {
    ...optional<string | null>(null, 'none', webSocketOrigin),
    about:
      'Origin of a Jetstream, which reports events of all accounts at once instead of with the next poll. Used only with PLATFORM_KIND=atproto.',
    example: 'wss://jetstream1.us-east.bsky.network',
  },
  MESSAGES: {
    ...withDefault('1', onOff),
    about:
      'Direct messages, for which callers send the PIN of their encrypted chat to this server. 0 refuses them with 501.',
    example: '0',
  },
  PLATFORM_TIMEOUT_MS: {
    ...withDefault('15000', wholeNumber(1, 600_000)),
    about: 'Deadline of one platform call, in milliseconds. An upload has ten times as long.',
    example: '5000',
  },
  PLATFORM_WAIT_MS: {
    ...withDefault('25000', wholeNumber(0, 60_000)),
    about:
      'Maximum time for which the platform may hold a request for the events of an active account, in milliseconds; 0 turns this off. Must be less than the time after which a proxy before the platform ends idle connections.',
    example: '10000',
  },
  POLLER_EVENTS_PER_MINUTE: {
    ...withDefault('1000', wholeNumber(1, 1_000_000)),
    about:
      'Events that the poller of one platform account may read a minute, with 8 MiB of responses for each 1,000 of them; all pollers of one API account together four times as many. Further events wait at the platform.',
    example: '5000',
  },
  POLLER_EVENTS_PER_DAY: {
    ...withDefault('100000', wholeNumber(1, 1_000_000_000)),
    about: 'Events that the poller of one platform account may read a day. Further events wait at the platform.',
    example: '1000000',
  },
  ACCOUNT_EVENT_MIB_PER_DAY: {
    ...withDefault('1024', wholeNumber(1, 1_000_000)),
    about:
      'MiB that the events of one API account, their deliveries and attempts may add to the store a day. Further events wait at the platform.',
    example: '10240',
  },
  SANDBOX_PORT: {
    ...withDefault('4001', port),
    about: 'Port of the sandbox, embedded or alone; 0 takes any free port.',
    example: '0',
  },
  SANDBOX_PUBLIC: {
    ...withDefault('0', onOff),
    about: 'Allow sandbox mode, with its well-known demo credentials, on an address that other machines can reach.',
    example: '1',
  },
  SANDBOX_ACTIVITY: {
    ...withDefault('1', onOff),
    about:
      'Let users of the sandbox like, answer and follow the demo accounts by themselves while events of these accounts are read.',
    example: '0',
  },
  ALLOW_LOCALHOST_WEBHOOKS: {
    ...optional<boolean | null>(null, 'on with the sandbox unless SANDBOX_PUBLIC is on, else off', onOff),
    about:
      'Allow webhook URLs on http://localhost. On a public deployment this would give callers access to the host itself.',
    example: '0',
  },
  OUTBOUND_ALLOW: {
    ...optional<string[]>([], 'none', cidrBlocks),
    about:
      'CIDR blocks, separated by commas, that webhooks, proxies and other addresses from callers may be in besides public ones.',
    example: '127.0.0.0/8,fd00::/8',
  },
  RATE_LIMIT: {
    ...withDefault('60000', wholeNumber(0, 1_000_000_000)),
    about:
      'Calls a minute for each API key, over all processes; 0 for no limit. `postern account limit` sets the limit of one account.',
    example: '600',
  },
  FAILED_CALL_RATE_LIMIT: {
    ...withDefault('600', wholeNumber(0, 1_000_000_000)),
    about:
      'Calls a minute of each account that may fail at the platform, over all processes; 0 for no limit. Failed calls are free. Failures of ' +
      'the platform itself do not count, unless the caller chose the server or the proxy.',
    example: '6000',
  },
  MAX_STREAMS_PER_KEY: {
    ...withDefault('20', wholeNumber(1, 1_000_000)),
    about: 'Open live streams for each API key, in each process.',
    example: '100',
  },
  UNAUTHENTICATED_RATE_LIMIT: {
    ...withDefault('600', wholeNumber(0, 1_000_000_000)),
    about:
      'Requests a minute without a valid API key for each client address, over all processes; 0 for no limit. Each process allows at ' +
      'least 60 (or the limit, if it is lower), so more than ten processes allow more in total.',
    example: '60',
  },
  TRUSTED_PROXIES: {
    ...optional<string[]>([], 'none', cidrBlocks),
    about: 'CIDR blocks, separated by commas, of the reverse proxies whose X-Forwarded-For names the client.',
    example: '10.0.0.0/8,fd00::/8',
  },
  MAX_CONCURRENT_REQUESTS: {
    ...withDefault('64', wholeNumber(0, 1_000_000)),
    about:
      'Concurrent requests of one API key in each process; 0 for no limit. Lower while the event loop is saturated. Open streams do not count.',
    example: '16',
  },
  MAX_REQUESTS_IN_FLIGHT: {
    ...withDefault('1000', wholeNumber(1, 1_000_000)),
    about:
      'Concurrent requests of all callers in each process; further requests are refused with 503. While the event loop is saturated, a 25th of them is accepted.',
    example: '5000',
  },
  MAX_EVENT_LOOP_DELAY_MS: {
    ...withDefault('1000', wholeNumber(1, 600_000)),
    about: 'Mean delay of the event loop, in milliseconds, above which new requests are refused with 503.',
    example: '200',
  },
  GRAPHQL_MAX_COST: {
    ...withDefault<Micros>('0.5', dollarAmount),
    about: 'Highest cost of one GraphQL request, in dollars. A request that could cost more is refused as a whole.',
    example: '2',
  },
  GRAPHQL_MAX_RESPONSE_BYTES: {
    ...withDefault('2097152', wholeNumber(10_000, 256 * 1024 * 1024)),
    about: 'Largest response of one GraphQL request, in bytes. A request whose response could be larger is refused.',
    example: '4194304',
  },
  GRAPHQL_TIMEOUT_MS: {
    ...withDefault('30000', wholeNumber(1, 600_000)),
    about: 'Deadline of one GraphQL request, in milliseconds. Reads that have not finished by then are aborted.',
    example: '10000',
  },
  GRAPHQL_INTROSPECTION: {
    ...withDefault('1', onOff),
    about: 'Let anyone read the GraphQL schema.',
    example: '0',
  },
  GRAPHQL_TRUSTED_DOCUMENTS: {
    ...optional<string | null>(null, 'none', (text) => ({ value: text })),
    about: 'JSON file of GraphQL documents by their SHA-256 in hex, which callers may name by that hash.',
    example: '/etc/postern/documents.json',
  },
  GRAPHQL_TRUSTED_ONLY: {
    ...withDefault('0', onOff),
    about: 'Refuse all GraphQL documents that are not in the file GRAPHQL_TRUSTED_DOCUMENTS.',
    example: '1',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    ...optional<string | null>(null, 'none: no traces', publicUrl),
    about:
      'Base address of an OpenTelemetry collector (OTLP over HTTP), which gets traces. The standard OTEL_* variables for the service name, sampling, headers and batches apply.',
    example: 'http://127.0.0.1:4318',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    ...withDefault('http/protobuf', choice('http/protobuf', 'http/json')),
    about: 'Encoding of traces: http/protobuf or http/json. gRPC is not supported.',
    example: 'http/json',
  },
  LOG_LEVEL: {
    ...withDefault<LogLevel>('info', choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')),
    about: 'Least severe level that is logged: trace, debug, info, warn, error, fatal or silent.',
    example: 'warn',
  },
  LOG_FORMAT: {
    ...withDefault<LogFormat>('auto', choice('auto', 'json', 'pretty')),
    about:
      'Format of the log: json (one line of JSON for each record), pretty (columns, in colours unless NO_COLOR is set), or auto, ' +
      'which is pretty on a terminal and json otherwise.',
    example: 'json',
  },
} satisfies Record<string, Setting<unknown>>;

/** Settings of earlier releases, which have no effect, and what replaced them. The log says so at the start. */
export const removedSettings: Readonly<Record<string, string>> = {
  WORKERS: 'run several gateways on one store behind a proxy (docs/operating.md, Several gateways)',
  MAX_EVENT_LOOP_TURN_MS: 'a saturated process accepts a 25th of MAX_REQUESTS_IN_FLIGHT',
  MAX_COMMIT_MS: 'MAX_REQUESTS_IN_FLIGHT limits the requests that wait for a slow store',
  MAX_CONNECTIONS: 'the limit is always 10,000 connections',
};

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
export type LogFormat = 'auto' | 'json' | 'pretty';
export type SettingName = keyof typeof settings;
type CheckedValue<T> = T extends { check: (text: string | undefined) => infer R }
  ? Extract<R, { value: unknown }>['value']
  : never;
export type CheckedSettings = { [Name in SettingName]: CheckedValue<(typeof settings)[Name]> };
