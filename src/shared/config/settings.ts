import ipaddr from 'ipaddr.js';
import { type Micros, parseDollars } from '../model/money.ts';
import { weaknessOf } from '../secrets/weak-key.ts';

/** An environment variable that configures Postern: its description for operators and the check of its text. */
export interface Setting<T> {
  /** The default as `--help` and docs/configuration.md show it. */
  readonly defaultText: string;
  readonly about: string;
  readonly example: string;
  /** True if the value must not be shown in messages. */
  readonly secret?: true;
  /** Returns the value, or a string that completes "<NAME> …" and says what is wrong. `undefined` means that the setting is not set. */
  readonly check: (text: string | undefined) => { value: T } | string;
}

type Check<T> = Setting<T>['check'];

function orDefault<T>(fallback: T, check: (text: string) => { value: T } | string): Check<T> {
  return (text) => (text === undefined ? { value: fallback } : check(text));
}

function wholeNumber(from: number, to: number) {
  return (text: string) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= from && value <= to ? { value } : `is not a whole number from ${from} to ${to}`;
  };
}

function choice<const T extends string>(...choices: readonly T[]) {
  return (text: string) => {
    const value = choices.find((known) => known === text);
    return value === undefined ? `is not one of ${choices.join(', ')}` : { value };
  };
}

function onOff(text: string) {
  if (['1', 'true', 'on', 'yes'].includes(text.toLowerCase())) return { value: true };
  if (['0', 'false', 'off', 'no'].includes(text.toLowerCase())) return { value: false };
  return 'is neither 1 (on) nor 0 (off)';
}

function dollars(text: string) {
  const value = parseDollars(text);
  return value === null || value === 0 ? 'is not an amount of dollars, with six decimals at most' : { value };
}

function httpOrigin(text: string) {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'is not an http or https address';
  if (url.username || url.password) return 'must not carry a user name or password';
  if (url.pathname !== '/' || url.search || url.hash) return 'must be an origin alone, without a path';
  return { value: url.origin };
}

function mongodbUrl(text: string) {
  return /^mongodb(\+srv)?:\/\/[^/\s]+(\/\S*)?$/.test(text)
    ? { value: text }
    : 'is not a connection string, mongodb:// or mongodb+srv:// with at least one host';
}

function publicUrl(text: string) {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password;
  return isPlain
    ? { value: url.href.replace(/\/+$/, '') }
    : 'is not an http:// or https:// address without a query and credentials';
}

function keys32(text: string) {
  const parts = text.split(',').map((part) => part.trim());
  // The text is checked because Node ignores characters that are not base64: a damaged key would silently become another key.
  if (!parts.every((part) => /^[A-Za-z0-9+/]{43}=$/.test(part))) {
    return 'is not 32 bytes in base64 (or several keys, separated by commas)';
  }
  const value = parts.map((part) => Buffer.from(part, 'base64'));
  // Only the first key encrypts. A weak key after it may still decrypt, so that it can be replaced.
  const weakness = weaknessOf(value[0] as Buffer);
  return weakness === null ? { value } : `is a weak key: ${weakness}`;
}

function cidrBlocks(text: string) {
  const blocks = text.split(',').map((part) => part.trim());
  const fault = blocks.map(blockFault).find((found) => found !== null);
  return fault ? `is not a list of CIDR blocks: ${fault}` : { value: blocks };
}

function blockFault(block: string): string | null {
  const family = block.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4;
  const isBlock = family === ipaddr.IPv6 ? family.isValidCIDR(block) : ipaddr.IPv4.isValidCIDRFourPartDecimal(block);
  if (!isBlock) return `${JSON.stringify(block)} is none`;
  const [address, bits] = ipaddr.parseCIDR(block);
  const network = family.networkAddressFromCIDR(block).toString();
  // 10.1.2.3/8 would open 16 million addresses when its author probably meant one.
  return address.toString() === network ? null : `${block} has bits beyond its prefix; the block is ${network}/${bits}`;
}

const port = wholeNumber(0, 65_535);

/** All settings. `--help` is printed from this table, and a test compares docs/configuration.md with it. */
export const settings = {
  HOST: {
    defaultText: '127.0.0.1',
    about: 'Address to listen on.',
    example: '0.0.0.0',
    check: orDefault('127.0.0.1', (text) =>
      /^[\w.:-]+$/.test(text) ? { value: text } : 'is not a host name or address',
    ),
  },
  PORT: {
    defaultText: '4000',
    about: 'Port to listen on; 0 takes any free port.',
    example: '8080',
    check: orDefault(4000, port),
  },
  PUBLIC_URL: {
    defaultText: 'none: the listening address if only this machine reaches it',
    about: 'Base address that callers use, for example behind a reverse proxy. /openapi.json names it as its server.',
    example: 'https://postern.example',
    check: orDefault<string | null>(null, publicUrl),
  },
  DATA_DIR: {
    defaultText: './data',
    about: 'Folder of the embedded store, the sandbox, secret.key and demo.json.',
    example: '/var/lib/postern',
    check: orDefault('./data', (text) => ({ value: text })),
  },
  SECRET_KEY: {
    defaultText: 'made on first start into DATA_DIR',
    about: '32 random bytes in base64. Several keys are separated by commas: the first encrypts, all decrypt.',
    example: '"$(openssl rand -base64 32)"',
    secret: true,
    check: orDefault<Buffer[] | null>(null, keys32),
  },
  METRICS_TOKEN: {
    defaultText: 'none: only this machine may read /metrics',
    about: 'Bearer token that opens /metrics to other machines.',
    example: '"$(openssl rand -hex 16)"',
    secret: true,
    check: orDefault<string | null>(null, (text) =>
      /^[\x21-\x7e]{16,256}$/.test(text) ? { value: text } : 'is not 16 to 256 printable characters without spaces',
    ),
  },
  MONGODB_URL: {
    defaultText: 'none: the embedded store',
    about:
      'Replica set or sharded cluster that stores everything, in the database that its path names. Needs SECRET_KEY.',
    example: 'mongodb://db1.example,db2.example/postern?replicaSet=rs0',
    secret: true,
    check: orDefault<string | null>(null, mongodbUrl),
  },
  PLATFORM_URL: {
    defaultText: 'the embedded sandbox',
    about: 'Origin of the platform. Needs PLATFORM_KIND.',
    example: 'http://127.0.0.1:4001',
    check: orDefault<string | null>(null, httpOrigin),
  },
  PLATFORM_KIND: {
    defaultText: 'none',
    about: 'Protocol of PLATFORM_URL. The only value is sandbox, for a sandbox that `postern sandbox` started.',
    example: 'sandbox',
    check: orDefault<'sandbox' | null>(null, choice('sandbox')),
  },
  PLATFORM_TIMEOUT_MS: {
    defaultText: '15000',
    about: 'Deadline of one platform call, in milliseconds. An upload has ten times as long.',
    example: '5000',
    check: orDefault(15_000, wholeNumber(1, 600_000)),
  },
  SANDBOX_PORT: {
    defaultText: '4001',
    about: 'Port of the sandbox, embedded or alone; 0 takes any free port.',
    example: '0',
    check: orDefault(4001, port),
  },
  SANDBOX_PUBLIC: {
    defaultText: '0',
    about: 'Allow sandbox mode, with its well-known demo credentials, on an address that other machines can reach.',
    example: '1',
    check: orDefault(false, onOff),
  },
  SANDBOX_ACTIVITY: {
    defaultText: '1',
    about:
      'Let users of the sandbox like, answer and follow the demo accounts by themselves while events of these accounts are read.',
    example: '0',
    check: orDefault(true, onOff),
  },
  ALLOW_LOCALHOST_WEBHOOKS: {
    defaultText: 'on with the sandbox, else off',
    about:
      'Allow webhook URLs on http://localhost. On a public deployment this would give callers access to the host itself.',
    example: '0',
    check: orDefault<boolean | null>(null, onOff),
  },
  OUTBOUND_ALLOW: {
    defaultText: 'none',
    about:
      'CIDR blocks, separated by commas, that webhooks, proxies and other addresses from callers may be in besides public ones.',
    example: '127.0.0.0/8,fd00::/8',
    check: orDefault<string[]>([], cidrBlocks),
  },
  RATE_LIMIT: {
    defaultText: '60000',
    about:
      'Calls a minute for each API key, over all processes; 0 for no limit. `postern account limit` sets the limit of one account.',
    example: '600',
    check: orDefault(60_000, wholeNumber(0, 1_000_000_000)),
  },
  MAX_STREAMS_PER_KEY: {
    defaultText: '20',
    about: 'Open live streams for each API key, in each process.',
    example: '100',
    check: orDefault(20, wholeNumber(1, 1_000_000)),
  },
  UNAUTHENTICATED_RATE_LIMIT: {
    defaultText: '600',
    about: 'Requests a minute without a valid API key for each client address, over all processes; 0 for no limit.',
    example: '60',
    check: orDefault(600, wholeNumber(0, 1_000_000_000)),
  },
  TRUSTED_PROXIES: {
    defaultText: 'none',
    about: 'CIDR blocks, separated by commas, of the reverse proxies whose X-Forwarded-For names the client.',
    example: '10.0.0.0/8,fd00::/8',
    check: orDefault<string[]>([], cidrBlocks),
  },
  MAX_CONCURRENT_REQUESTS: {
    defaultText: '256',
    about: 'Concurrent requests of one API key in each process; 0 for no limit. Open streams do not count.',
    example: '64',
    check: orDefault(256, wholeNumber(0, 1_000_000)),
  },
  MAX_REQUESTS_IN_FLIGHT: {
    defaultText: '5000',
    about: 'Concurrent requests of all callers in each process; further requests are refused with 503.',
    example: '1000',
    check: orDefault(5_000, wholeNumber(1, 1_000_000)),
  },
  MAX_EVENT_LOOP_DELAY_MS: {
    defaultText: '1000',
    about: 'Mean delay of the event loop, in milliseconds, above which new requests are refused with 503.',
    example: '200',
    check: orDefault(1_000, wholeNumber(1, 600_000)),
  },
  MAX_CONNECTIONS: {
    defaultText: '10000',
    about: 'Open connections in each process; further connections are closed at once.',
    example: '2000',
    check: orDefault(10_000, wholeNumber(1, 1_000_000)),
  },
  GRAPHQL_MAX_COST: {
    defaultText: '0.5',
    about: 'Highest cost of one GraphQL request, in dollars. A request that could cost more is refused as a whole.',
    example: '2',
    check: orDefault<Micros>(500_000, dollars),
  },
  GRAPHQL_MAX_RESPONSE_BYTES: {
    defaultText: '16777216',
    about: 'Largest response of one GraphQL request, in bytes. A request whose response could be larger is refused.',
    example: '4194304',
    check: orDefault(16 * 1024 * 1024, wholeNumber(10_000, 256 * 1024 * 1024)),
  },
  GRAPHQL_TIMEOUT_MS: {
    defaultText: '30000',
    about: 'Deadline of one GraphQL request, in milliseconds. Reads that have not finished by then are given up.',
    example: '10000',
    check: orDefault(30_000, wholeNumber(1, 600_000)),
  },
  GRAPHQL_INTROSPECTION: {
    defaultText: '1',
    about: 'Let anyone read the GraphQL schema.',
    example: '0',
    check: orDefault(true, onOff),
  },
  GRAPHQL_TRUSTED_DOCUMENTS: {
    defaultText: 'none',
    about: 'JSON file of GraphQL documents by their SHA-256 in hex, which callers may name by that hash.',
    example: '/etc/postern/documents.json',
    check: orDefault<string | null>(null, (text) => ({ value: text })),
  },
  GRAPHQL_TRUSTED_ONLY: {
    defaultText: '0',
    about: 'Refuse all GraphQL documents that are not in the file GRAPHQL_TRUSTED_DOCUMENTS.',
    example: '1',
    check: orDefault(false, onOff),
  },
  LOG_LEVEL: {
    defaultText: 'info',
    about: 'Least severe level that is logged: trace, debug, info, warn, error, fatal or silent.',
    example: 'warn',
    check: orDefault<LogLevel>('info', choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')),
  },
  LOG_FORMAT: {
    defaultText: 'auto',
    about:
      'Format of the log: json (one line of JSON for each record), pretty (columns, in colours unless NO_COLOR is set), or auto, ' +
      'which is pretty on a terminal and json otherwise.',
    example: 'json',
    check: orDefault<LogFormat>('auto', choice('auto', 'json', 'pretty')),
  },
} satisfies Record<string, Setting<unknown>>;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
export type LogFormat = 'auto' | 'json' | 'pretty';
export type SettingName = keyof typeof settings;
type CheckedValue<T> = T extends { check: (text: string | undefined) => infer R }
  ? Extract<R, { value: unknown }>['value']
  : never;
export type CheckedSettings = { [Name in SettingName]: CheckedValue<(typeof settings)[Name]> };
