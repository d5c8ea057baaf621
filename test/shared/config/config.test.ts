import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ConfigError, type Environment, readConfig } from '../../../src/shared/config/config.ts';
import { removedSettings, settings } from '../../../src/shared/config/settings.ts';

function faultsOf(env: Environment): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
  return [];
}

const key = (seed: number) => createHash('sha256').update(String(seed)).digest('base64');

describe('settings', () => {
  test('have the documented defaults, and an empty one counts as not set', () => {
    const expected = {
      host: '127.0.0.1',
      publicUrl: null,
      port: 4000,
      dataDir: resolve('data'),
      demoDir: resolve('data'),
      log: { level: 'info', format: 'auto' },
      platform: {
        kind: 'sandbox',
        demo: true,
        hidesPages: false,
        url: null,
        timeoutMs: 15_000,
        waitMs: 25_000,
        plcUrl: 'https://plc.directory',
        jetstreamUrl: null,
        hasMessages: true,
        accountCaps: { percent: 25, dailyMicros: null },
      },
      sandbox: { port: 4001, activity: true },
      rateLimit: 60_000,
      maxStreamsPerKey: 20,
      outboundAllow: [],
      webhooks: { allowLocalhost: true },
      eventLimits: { perMinute: 1_000, perDay: 100_000, bytesPerDay: 1_073_741_824 },
      limits: {
        unauthenticated: 600,
        failedCalls: 600,
        trustedProxies: [],
        concurrentRequests: 64,
        requestsInFlight: 1_000,
        eventLoopDelayMs: 1_000,
      },
      graphql: {
        costLimit: 500_000,
        bytesLimit: 2_097_152,
        timeoutMs: 30_000,
        introspection: true,
        trustedDocuments: null,
        trustedOnly: false,
      },
      corsOrigins: [],
      traces: null,
      removed: [],
      secrets: { secretKeys: null, mongodbUrl: null, metricsToken: null, xAppToken: null, xApp: null },
    };
    expect(readConfig({})).toEqual(expected);
    expect(readConfig(Object.fromEntries(Object.keys(settings).map((name) => [name, ' '])))).toEqual(expected);
    expect(readConfig({ UNKNOWN: 'x', PATH: '/bin' })).toEqual(expected);
  });

  test('of X have its address by default, and a secret only with a client id', () => {
    const caps = { X_ACCOUNT_SHARE: '50', X_ACCOUNT_DOLLARS_PER_DAY: '2.5' };
    const { platform, secrets } = readConfig({ PLATFORM_KIND: 'x', X_BEARER_TOKEN: 'app', ...caps });
    expect(platform.accountCaps).toEqual({ percent: 50, dailyMicros: 2_500_000 });
    expect(platform).toMatchObject({ kind: 'x', demo: false, url: 'https://api.x.com' });
    expect(secrets.xAppToken?.expose()).toBe('app');
    expect(() => readConfig({ PLATFORM_KIND: 'x', X_CLIENT_SECRET: 's' })).toThrow('X_CLIENT_SECRET is set without');
    const x = { PLATFORM_KIND: 'x', X_BEARER_TOKEN: 's' };
    expect(() => readConfig({ ...x, PLATFORM_URL: 'http://x.example' })).toThrow('http address of another machine');
    const app = { PLATFORM_KIND: 'x', X_CLIENT_ID: 'app', X_CLIENT_SECRET: 's' };
    expect(() => readConfig({ ...app, PLATFORM_URL: 'http://x.example' })).toThrow('X_CLIENT_SECRET is set, and');
    expect(() => readConfig({ ...x, PLATFORM_URL: 'http://127.0.0.1:4001' })).not.toThrow();
    expect(() => readConfig({ PLATFORM_KIND: 'x', X_BEARER_TOKEN: 'a b' })).toThrow('X_BEARER_TOKEN');
  });

  test('that were removed stop nothing and are listed', () => {
    const { removed } = readConfig({ WORKERS: 'many', MAX_COMMIT_MS: '1', MAX_CONNECTIONS: ' ' });
    expect(removed).toEqual(['WORKERS', 'MAX_COMMIT_MS']);
    for (const name of Object.keys(removedSettings)) expect(settings).not.toHaveProperty(name);
  });

  test('are taken as given', () => {
    const config = readConfig({
      HOST: '0.0.0.0',
      PORT: '0',
      DATA_DIR: '/srv/postern',
      SECRET_KEY: `${key(1)}, ${key(2)}`,
      METRICS_TOKEN: 'm'.repeat(16),
      PLATFORM_URL: 'https://sandbox.example:8443/',
      PLATFORM_KIND: 'sandbox',
      PLATFORM_TIMEOUT_MS: '1',
      PLATFORM_WAIT_MS: '0',
      SANDBOX_PORT: '65535',
      SANDBOX_PUBLIC: 'true',
      SANDBOX_ACTIVITY: '0',
      LOG_LEVEL: 'silent',
    });
    expect(config).toMatchObject({ host: '0.0.0.0', port: 0, dataDir: '/srv/postern', log: { level: 'silent' } });
    expect(config.platform).toMatchObject({
      url: 'https://sandbox.example:8443',
      timeoutMs: 1,
      waitMs: 0,
      kind: 'sandbox',
      demo: true,
    });
    expect(config.sandbox).toEqual({ port: 65_535, activity: false });
    expect(config.secrets.secretKeys?.map((secret) => secret.expose().toString('base64'))).toEqual([key(1), key(2)]);
    expect(config.secrets.metricsToken?.expose()).toBe('m'.repeat(16));
  });

  test('of another platform have no sandbox mode', () => {
    const config = readConfig({ HOST: '0.0.0.0', PLATFORM_KIND: 'atproto', PLATFORM_URL: 'https://bsky.social' });
    expect(config.platform).toMatchObject({ kind: 'atproto', demo: false, plcUrl: 'https://plc.directory' });
    expect(config.webhooks).toEqual({ allowLocalhost: false });
  });

  test('of blocks are taken by comma, and a wrong one is explained', () => {
    const allow = (text: string) => readConfig({ OUTBOUND_ALLOW: text }).outboundAllow;
    expect(allow('127.0.0.0/8')).toEqual(['127.0.0.0/8']);
    const blocks = ['10.1.0.0/16', 'fd00::/8', '::1/128', '0.0.0.0/0'];
    expect(allow('10.1.0.0/16 , fd00::/8,::1/128,0.0.0.0/0')).toEqual(blocks);
    expect(faultsOf({ OUTBOUND_ALLOW: '10.1.2.3/8' })).toEqual([
      'OUTBOUND_ALLOW ("10.1.2.3/8") is not a list of CIDR blocks: 10.1.2.3/8 has bits beyond its prefix; ' +
        'the block is 10.0.0.0/8. Example: OUTBOUND_ALLOW=127.0.0.0/8,fd00::/8',
    ]);
    expect(faultsOf({ OUTBOUND_ALLOW: '127.0.0.0/8,localhost' })).toEqual([
      'OUTBOUND_ALLOW ("127.0.0.0/8,localhost") is not a list of CIDR blocks: "localhost" is none. ' +
        'Example: OUTBOUND_ALLOW=127.0.0.0/8,fd00::/8',
    ]);
  });

  test('of origins are taken by comma, as browsers send them, and a wrong one is explained without its password', () => {
    expect(
      readConfig({ CORS_ORIGINS: 'https://App.example:443/, http://localhost:5173,http://[::1]' }).corsOrigins,
    ).toEqual(['https://app.example', 'http://localhost:5173', 'http://[::1]']);
    const what = 'is not a list of origins, which have http or https, a host and an optional port: number';
    const example = 'Example: CORS_ORIGINS=https://app.example,http://localhost:5173';
    const faults: [string, string][] = [
      ['*', `("*") ${what} 1 has a *`],
      ['https://*.example', `("https://*.example") ${what} 1 has a *`],
      ['null', `("null") ${what} 1 is not an http or https address`],
      ['https://a.example,b.example', `("https://a.example,b.example") ${what} 2 is not an http or https address`],
      ['https://a.example,', `("https://a.example,") ${what} 2 is not an http or https address`],
      ['https://a.example/app', `("https://a.example/app") ${what} 1 must be an origin alone, without a path`],
      ['https://u:hunter2@a.example', `("https://…@a.example") ${what} 1 must not carry a user name or password`],
    ];
    for (const [text, fault] of faults) {
      expect(faultsOf({ CORS_ORIGINS: text })).toEqual([`CORS_ORIGINS ${fault}. ${example}`]);
    }
    const many = Array.from({ length: 101 }, (_, index) => `https://a${index}.example`).join();
    expect(faultsOf({ CORS_ORIGINS: many })[0]).toMatch(/ has more than 100 origins\. /);
  });

  test('of addresses hide every password and the query in messages', () => {
    const texts = {
      CORS_ORIGINS: 'https://a:hunter2@a.example,https://b:hunter2@b.example/app',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/?key=hunter2',
    };
    const faults = faultsOf(texts).join('\n');
    expect(faults).not.toContain('hunter2');
    expect(faults).toContain('("http://127.0.0.1:4318/?…")');
  });

  const ports = ['-1', '65536', '80.5', 'http', '4000 4001', '0x50', '1e3', '99999999999999999999'];
  const prefixes = ['10.0.0.1', '10.0.0.0/33', '10.0.0.0/', '10.1.2.3/8', '0x7f.0.0.0/8', 'fd00::1/8', 'fd00::/129'];
  const addresses = ['localhost:4001', 'ftp://localhost', 'http://localhost/api', 'http://localhost/?a=hunter2'];
  const secretKeys = ['hunter2', Buffer.alloc(31).toString('base64'), `${key(1)},`, `${key(1)}!!`];
  const weakKeys = [Buffer.alloc(32, 7).toString('base64'), `${Buffer.alloc(32, 'ab').toString('base64')},${key(1)}`];
  const wrong: { [Name in keyof typeof settings]?: string[] } = {
    PORT: ports,
    SANDBOX_PORT: ports,
    HOST: ['http://127.0.0.1', '127.0.0.1/8', 'a b'],
    PLATFORM_TIMEOUT_MS: ['0', '600001', '5s'],
    PLATFORM_URL: [...addresses, 'http://user:hunter2@localhost'],
    PLATFORM_KIND: ['mastodon'],
    ATPROTO_PLC_URL: ['plc.directory'],
    ATPROTO_JETSTREAM_URL: ['https://jetstream.example', 'wss://jetstream.example/subscribe'],
    OUTBOUND_ALLOW: [...prefixes, '10/8', 'localhost', 'localhost/8', '127.0.0.0/8,', '127.0.0.0/8;10.0.0.0/8', 'any'],
    SANDBOX_PUBLIC: ['2', 'maybe'],
    SANDBOX_ACTIVITY: ['sometimes'],
    LOG_LEVEL: ['verbose', 'INFO!'],
    LOG_FORMAT: ['yaml'],
    SECRET_KEY: [...secretKeys, ...weakKeys],
    METRICS_TOKEN: ['hunter2', 'hunter2 hunter2 hunter2'],
    MONGODB_URL: ['postgres://hunter2@localhost', 'mongodb://'],
    RATE_LIMIT: ['10/s'],
  };
  const cases = Object.entries(wrong).flatMap(([name, values]) => values.map((value) => [name, value] as const));
  test.each(cases)('that are wrong stop the start, with name, fault and example: %s=%s', (name, value) => {
    const faults = faultsOf({ [name]: value });
    expect(faults.length).toBeGreaterThan(0);
    const fault = faults.find((line) => line.startsWith(name));
    expect(fault).toMatch(/ (is|must) /);
    expect(fault).toContain('Example: ');
    expect(faults.join()).not.toContain('hunter2');
    if (!('secret' in settings[name as keyof typeof settings]) && !value.includes('hunter2'))
      expect(fault).toContain(`"${value}"`);
  });

  test('may have a weak key behind a strong one, so that it can be replaced', () => {
    const weak = Buffer.alloc(32, 7).toString('base64');
    expect(faultsOf({ SECRET_KEY: `${key(1)},${weak}` })).toEqual([]);
    expect(faultsOf({ SECRET_KEY: weak })).toEqual([
      'SECRET_KEY is a weak key: all of its bytes are equal. Example: SECRET_KEY="$(openssl rand -base64 32)"',
    ]);
  });

  test('that are wrong are reported together', () => {
    const faults = faultsOf({ PORT: 'x', LOG_LEVEL: 'y', SECRET_KEY: 'z' });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['PORT', 'SECRET_KEY', 'LOG_LEVEL']);
  });

  test('that contradict each other stop the start', () => {
    expect(faultsOf({ PLATFORM_URL: 'http://localhost:1' })).toEqual([
      expect.stringContaining('PLATFORM_KIND=sandbox'),
    ]);
    expect(faultsOf({ PLATFORM_KIND: 'sandbox' })).toEqual([expect.stringContaining('PLATFORM_URL=http')]);
    for (const HOST of ['0.0.0.0', '::', '10.0.0.1', 'gateway.example', '127.0.0.1.example']) {
      expect(faultsOf({ HOST })).toEqual([expect.stringMatching(/^HOST .*SANDBOX_PUBLIC=1/)]);
      expect(faultsOf({ HOST, SANDBOX_PUBLIC: '1' })).toEqual([]);
    }
    for (const HOST of ['localhost', '127.0.0.2', '::1']) expect(faultsOf({ HOST })).toEqual([]);
  });

  test('allow no webhooks on http://localhost by default if everyone can use the demo key', () => {
    expect(readConfig({ SANDBOX_PUBLIC: '1' }).webhooks).toEqual({ allowLocalhost: false });
    expect(readConfig({ SANDBOX_PUBLIC: '1' }).platform.hidesPages).toBe(true);
    const chosen = readConfig({ SANDBOX_PUBLIC: '1', ALLOW_LOCALHOST_WEBHOOKS: '1' });
    expect(chosen.webhooks).toEqual({ allowLocalhost: true });
  });

  test('cannot be changed once read, and hide their secrets', () => {
    const config = readConfig({ SECRET_KEY: key(9), METRICS_TOKEN: 'hunter2-hunter2-hunter2' });
    for (const part of [config, config.platform, config.sandbox, config.secrets, config.secrets.secretKeys]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    const shown = inspect(config, { depth: 9, showHidden: true }) + JSON.stringify(config);
    const hex = Buffer.from(key(9), 'base64').toString('hex');
    for (const secret of ['hunter2', key(9), hex, hex.replaceAll(/(..)(?=.)/g, '$1 ').slice(0, 30)]) {
      expect(shown).not.toContain(secret);
    }
  });

  test('each have a line for people', () => {
    for (const [name, setting] of Object.entries(settings)) {
      expect(name).toMatch(/^[A-Z_]+$/);
      expect(setting.about).toMatch(/^[A-Z0-9].*\.$/);
      expect(setting.defaultText).not.toBe('');
      expect(setting.example).not.toBe('');
    }
  });
});
