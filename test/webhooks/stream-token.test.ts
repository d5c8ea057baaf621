import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { StreamTokens, streamTokenMs } from '../../src/billing/stream-tokens.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { Vault } from '../../src/shared/secrets/vault.ts';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import { atEnd } from '../support/at-end.ts';
import type { Client } from '../support/client.ts';
import { expectRefusal } from '../support/refusal.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf } from './stream-fixture.ts';

const runtime = new AdjustableRuntime();
const secretKey = randomBytes(32);

const { service, sandbox, newCaller } = await useService(
  {
    UNAUTHENTICATED_RATE_LIMIT: '20',
    ALLOW_LOCALHOST_WEBHOOKS: '1',
    OUTBOUND_ALLOW: '127.0.0.0/8',
    SECRET_KEY: secretKey.toString('base64'),
  },
  { runtime },
);
const { key, keyId, client, graphql } = await newCaller();

async function tokenFor(from: Client, body: Record<string, unknown> = {}): Promise<string> {
  const answer = await from.post('/events/token', body);
  expect(answer.body.error).toBeNull();
  expect(answer.headers.get('x-credits-charged')).toBeNull();
  expect(answer.headers.get('cache-control')).toBe('no-store');
  return String(answer.body.data['token']);
}

async function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const controller = new AbortController();
  atEnd(() => controller.abort());
  return fetch(service.demo.baseUrl + path, { headers, signal: controller.signal });
}

async function refusalOf(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as { error: string }).error];
}

/** Reads a stream until it has this many events. Returns their types. */
async function typesIn(response: Response, count: number): Promise<string[]> {
  const types: string[] = [];
  for await (const text of eventsOf(response)) {
    types.push(...[...text.matchAll(/^event: (.*)$/gm)].map(([, type = '']) => type));
    if (types.length >= count) break;
  }
  return types;
}

const balance = async () => (await client.get('/account/balance')).body.data['balance'];

describe('a token of a live stream', () => {
  test('opens the stream of its actor and types, more than once, for the usual price', async () => {
    const token = await tokenFor(client, { types: ['tweet.like', 'user.follow'] });
    expect(token).toMatch(/^[\w.-]{100,10000}$/);
    const before = Number(await balance());
    const streams = [
      await ask(`/events?token=${token}`),
      await ask(`/events?types=user.follow,tweet.like&token=${token}`),
    ];
    expect(streams.map(({ status, headers }) => [status, headers.get('x-credits-charged')])).toEqual(
      Array(2).fill([200, '0.001']),
    );
    expect(streams[0]?.headers.get('referrer-policy')).toBe('no-referrer');
    expect(streams[0]?.headers.get('cache-control')).toBe('no-store');
    await expect.poll(async () => before - Number(await balance())).toBeCloseTo(0.002, 6);
    for (const type of ['mention', 'follow', 'like']) await sandbox.makeEvents({ type, userName: 'ada' });
    for (const stream of streams) expect(await typesIn(stream, 2)).toEqual(['user.follow', 'tweet.like']);
  });

  test('does not outlive its API key', async () => {
    const made = await client.write('POST', '/account/keys', {
      name: 'Short',
      expires_at: new Date(runtime.now() + 60_000).toISOString(),
    });
    const short = client.with({ key: String(made.body.data['key']) });
    const token = await tokenFor(short);
    runtime.leap(61_000);
    expect((await refusalOf(await ask(`/events?token=${token}`)))[0]).toBe(401);
    const other = await service.makeAccount('1');
    const revoked = await tokenFor(client.with({ key: other.key }));
    await service.revokeKey(other.keyId);
    runtime.leap(6_000);
    expect(await refusalOf(await ask(`/events?token=${revoked}`))).toEqual([401, 'Invalid API key: it was revoked']);
  });

  test('opens the stream for 15 minutes', async () => {
    // The clock that decides is that of the store, which is that of the service here.
    const madeAgo = (ms: number) =>
      new StreamTokens(new Vault([new Secret(secretKey)], runtime), () => runtime.now() - ms).make(
        {
          keyHash: createHash('sha256').update(key).digest('hex'),
          authToken: client.options.authToken ?? '',
          proxy: null,
          encryptionCode: null,
          types: ['user.follow'],
        },
        null,
      ).token;
    expect((await ask(`/events?token=${madeAgo(streamTokenMs - 60_000)}`)).status).toBe(200);
    const [status, error] = await refusalOf(await ask(`/events?token=${madeAgo(streamTokenMs + 1_000)}`));
    expect([status, error]).toEqual([
      401,
      expect.stringMatching(/^Invalid token: it expired at \S+Z\. Request a new one with POST \/v1\/events\/token, /),
    ]);
  });

  test('has the restrictions of its API key', async () => {
    const restricted = async (restrictions: object) => {
      const made = await client.write('POST', '/account/keys', { name: 'Restricted', ...restrictions });
      return client.with({ key: String(made.body.data['key']) });
    };
    const readOnly = await tokenFor(await restricted({ read_only: true, groups: ['events'] }));
    expect((await ask(`/events?token=${readOnly}`)).status).toBe(200);
    const noGroup = await (await restricted({ groups: ['tweet'] })).post('/events/token');
    expect(noGroup.status).toBe(403);
    const elsewhere = await (await restricted({ ip_ranges: ['192.0.2.0/24'] })).post('/events/token');
    expect(elsewhere.status).toBe(403);
    const slow = await restricted({ calls_per_minute: 2 });
    const slowToken = await tokenFor(slow);
    expect((await ask(`/events?token=${slowToken}`)).status).toBe(200);
    expect((await ask(`/events?token=${slowToken}`)).status).toBe(429);
    const cheap = await tokenFor(await restricted({ dollars_per_day: '0.001' }));
    expect((await ask(`/events?token=${cheap}`)).status).toBe(200);
    expect((await ask(`/events?token=${cheap}`)).status).toBe(402);
  });

  test('is refused with another filter, with other credentials, and beside an API key', async () => {
    const all = await tokenFor(client);
    const likes = await tokenFor(client, { types: ['tweet.like'] });
    const code = service.demo.accounts[0].encryptionCode;
    const sealed = await tokenFor(client, { encryption_code: code });
    const rest = 'is part of the token, so leave it out';
    const refusals: [string, Record<string, string>, string][] = [
      [`types=tweet.like&token=${all}`, {}, 'types: differs from the types of the token'],
      [`types=tweet.like,user.follow&token=${likes}`, {}, 'types: differs from the types of the token'],
      [`types=&token=${likes}`, {}, 'types: differs from the types of the token'],
      [`auth_token=nobody&token=${all}`, {}, `auth_token: ${rest}`],
      // The correct code is refused as well, so that nobody can guess it.
      [`encryption_code=${code}&token=${sealed}`, {}, `encryption_code: ${rest}`],
      [`token=${sealed}`, { 'x-encryption-code': code }, `encryption_code: ${rest}`],
      [`token=${all}`, { 'x-proxy': 'http://proxy.example' }, `proxy: ${rest}`],
      [`token=${all}`, { authorization: `Bearer ${key}` }, 'token: replaces the header Authorization'],
      [`token=${all}&token=${all}`, {}, 'token: given more than once'],
    ];
    for (const [query, headers, message] of refusals) {
      const [status, error] = await refusalOf(await ask(`/events?${query}`, headers));
      expect([status, error.slice(0, `Malformed field: ${message}`.length)]).toEqual([
        400,
        `Malformed field: ${message}`,
      ]);
    }
    expect((await ask(`/events?token=${sealed}`)).status).toBe(200);
  });

  test('is refused with 400 for message types without an encryption code', async () => {
    const error = /^Missing required field: encryption_code: .* x-encryption-code$/;
    expectRefusal(await client.post('/events/token', { types: ['message.sent'] }), 400, error);
  });

  test('opens nothing else', async () => {
    const token = await tokenFor(client);
    for (const path of [`/account?token=${token}`, `/user/me?token=${token}`, `/webhooks?token=${token}`]) {
      expect((await refusalOf(await ask(path)))[0]).toBe(401);
    }
    for (const path of ['/events', '/account', '/events/token']) {
      expect((await ask(path, { authorization: `Bearer ${token}` })).status).toBe(path === '/events/token' ? 405 : 401);
    }
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    expect((await fetch(`${service.demo.baseUrl}/events/token?token=${token}`, post)).status).toBe(401);
    const query = encodeURIComponent('subscription { events { id } }');
    const graphql = await fetch(`${service.demo.graphqlUrl}?token=${token}&query=${query}`);
    expect(await graphql.text()).toContain('UNAUTHENTICATED');
  });

  test('is refused if it was altered', async () => {
    const token = await tokenFor(client);
    const [, seconds = ''] = token.split('.');
    const altered = [
      '',
      'x',
      token.slice(0, -1),
      `${token}A`,
      token.replace(seconds, String(Number(seconds) + 60)),
      token.replace('.v1.', '.v2.'),
      `${token.slice(0, -20)}${token.at(-20) === 'A' ? 'B' : 'A'}${token.slice(-19)}`,
      key,
      'x'.repeat(12_000),
    ];
    // The limit of requests without a valid key is 20 a minute.
    runtime.leap(60_000);
    for (const each of altered) {
      const [status, error] = await refusalOf(await ask(`/events?token=${encodeURIComponent(each)}`));
      expect(status).toBe(401);
      expect(error).toMatch(/^Invalid token: it is incomplete or altered, .* POST \/v1\/events\/token, /);
      expect(error).not.toContain(token.slice(-30));
    }
  });

  test('does not count as a request without a valid key, but a wrong one does', async () => {
    runtime.leap(60_000);
    const token = await tokenFor(client, { types: ['user.follow'] });
    for (let i = 0; i < 30; i++) {
      const stream = await ask(`/events?token=${token}`);
      expect(stream.status).toBe(200);
      await stream.body?.cancel();
    }
    const statuses: number[] = [];
    for (let i = 0; i < 30; i++) statuses.push((await ask('/events?token=wrong')).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
    expect((await ask(`/events?token=${token}`)).status).toBe(200);
    runtime.leap(60_000);
  });

  test('contains the largest credentials in a URL that the server accepts', async () => {
    const proxy = `http://${'u'.repeat(900)}:${'p'.repeat(1_000)}@127.0.0.1:1`;
    const actor = client.with({ authToken: '!'.repeat(1_024) });
    const token = await tokenFor(actor, { encryption_code: '\u{1f600}'.repeat(128), proxy });
    expect((await refusalOf(await ask(`/events?token=${token}`)))[1]).toMatch(
      /^The proxy 127\.0\.0\.1:1 cannot be reached/,
    );
  });

  test('is in no log line, and GraphQL makes one too', async () => {
    const query = 'mutation { createEventToken(input: { types: [USER_FOLLOW] }) { token expiresAt } }';
    const { token } = (await graphql.ask(query)).data.createEventToken;
    expect((await ask(`/events?token=${token}`)).status).toBe(200);
    expect((await ask(`/events?token=${token}x`)).status).toBe(401);
    // Headers of more than 16 KiB are refused before the request reaches the service.
    await new Promise<void>((resolve) => {
      const raw = httpRequest(`${service.origin}/v1/events?token=${token}`, {
        headers: { 'x-long': 'x'.repeat(20_000) },
      });
      raw.on('response', (response) => resolve(void response.resume())).on('error', () => resolve());
      raw.end();
    });
    await expect.poll(() => service.log.some((line) => line.includes('"stream_token_invalid"'))).toBe(true);
    const secrets = [token, token.slice(-40), client.options.authToken ?? '', key];
    const log = service.log.join('\n');
    const metrics = await (await fetch(`${service.origin}/metrics`)).text();
    for (const secret of secrets) expect(log.includes(secret) || metrics.includes(secret)).toBe(false);
    const line = service.log
      .map((text) => JSON.parse(text))
      .find(({ action, status }) => action === 'events' && status);
    expect(line).toMatchObject({ account: expect.any(String) });
    expect(service.log.some((text) => text.includes(keyId))).toBe(true);
  });
});
