import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { streamGrantOf } from '../../../src/api/http/stream-grant.ts';
import { StreamTokens } from '../../../src/billing/stream-tokens.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import { Vault } from '../../../src/shared/secrets/vault.ts';

const grant = { keyHash: 'hash', authToken: 'token', proxy: null, encryptionCode: '739146', types: null };
const start = Date.UTC(2026, 10, 22);
const minute = 60_000;

function setUp(secretKeys = [new Secret(randomBytes(32))]) {
  const clock = { now: start };
  const tokens = new StreamTokens(new Vault(secretKeys, systemRuntime), () => clock.now);
  const requestOf = (token: string, path = '/v1/events') =>
    ({ method: 'GET', url: `${path}?token=${token}`, headers: {} }) as IncomingMessage;
  const read = (request: IncomingMessage) => streamGrantOf(request, { streamTokens: tokens, streamPath: '/v1/events' });
  const ask = (token: string, path?: string) => read(requestOf(token, path));
  return { clock, tokens, requestOf, read, ask, secretKeys };
}

test('a token of a stream is valid for 15 minutes, and its refusal then says what to do', () => {
  const { clock, tokens, ask } = setUp();
  const { token, expiresAt } = tokens.make(grant, null);
  expect(expiresAt).toBe(start + 15 * minute);
  clock.now = expiresAt - 1;
  expect(ask(token)).toEqual(grant);
  clock.now = expiresAt;
  expect(() => ask(token)).toThrow(
    'Invalid token: it expired at 2026-11-22T00:15:00.000Z. Request a new one with POST /v1/events/token, and open the stream with it and ' +
      'with last_event_id, the id of the last event that you have',
  );
  expect(() => ask(token)).toThrow(expect.objectContaining({ reason: 'stream_token_expired', status: 401 }));
});

test('a token of a stream ends with its API key', () => {
  const { tokens } = setUp();
  expect(tokens.make(grant, start + minute).expiresAt).toBe(start + minute);
});

test('an open stream continues after its token has expired', () => {
  const { clock, tokens, requestOf, read } = setUp();
  const request = requestOf(tokens.make(grant, null).token);
  expect(read(request)).toEqual(grant);
  clock.now += 60 * minute;
  expect(read(request)).toEqual(grant);
});

test('a token of a stream is opened by every process with the same SECRET_KEY, and by no other', () => {
  const one = setUp();
  const { token } = one.tokens.make(grant, null);
  expect(setUp(one.secretKeys).ask(token)).toEqual(grant);
  expect(setUp([new Secret(randomBytes(32)), ...one.secretKeys]).ask(token)).toEqual(grant);
  expect(() => setUp().ask(token)).toThrow(expect.objectContaining({ reason: 'stream_token_invalid', status: 401 }));
  expect(one.ask(token, '/v1/account')).toBeNull();
});
