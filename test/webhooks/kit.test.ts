import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  answerCrc,
  isSignedByPlatform,
  receiver,
  verify,
  type WebhookEvent,
  WebhookVerificationError,
} from '../../src/client/webhooks/index.ts';
import { signedHeaders } from '../../src/webhooks/delivery/signed.ts';

const now = Date.UTC(2026, 10, 21, 12, 0, 0);
const secretText = fc.string({ unit: 'grapheme-ascii', minLength: 16, maxLength: 128 });
const bodyText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
const secretsOf = (secret: string) => ({ secret, proven: true, previous: null, encryptionCode: null });
const headersOf = (body: string, secret: string, at = now) =>
  signedHeaders({ eventId: 'evt_1', attempt: 2, body, now: at }, secretsOf(secret));

describe('a delivery', () => {
  test('is verified by the Standard Webhooks library, with the secret as base64', () => {
    fc.assert(
      fc.property(secretText, bodyText, (secret, text) => {
        const body = JSON.stringify({ text });
        const verifier = new Webhook(`whsec_${Buffer.from(secret, 'utf8').toString('base64')}`);
        const headers = headersOf(body, secret, Date.now());
        expect(verifier.verify(body, headers)).toEqual({ text });
      }),
    );
  });

  test('is verified by the kit, and says which event and attempt it is', () => {
    fc.assert(
      fc.property(secretText, bodyText, (secret, body) => {
        expect(verify(body, headersOf(body, secret), secret, { now: () => now })).toEqual({
          eventId: 'evt_1',
          attempt: 2,
        });
        expect(isSignedByPlatform(body, headersOf(body, secret), secret)).toBe(true);
      }),
    );
  });

  test('is refused with any byte changed, or another secret', () => {
    fc.assert(
      fc.property(secretText, secretText, bodyText, fc.nat(), (secret, other, body, at) => {
        const headers = headersOf(body, secret);
        const bytes = Buffer.from(body);
        bytes[at % bytes.length] = ((bytes[at % bytes.length] ?? 0) + 1) % 256;
        expect(() => verify(bytes, headers, secret, { now: () => now })).toThrow(WebhookVerificationError);
        expect(isSignedByPlatform(bytes, headers, secret)).toBe(false);
        if (other !== secret)
          expect(() => verify(body, headers, other, { now: () => now })).toThrow(/check the secret/);
      }),
    );
  });

  test.each([-301, 301])('is refused when its clock is %i s off', (seconds) => {
    const headers = headersOf('{}', 'a-secret-of-16-characters');
    const verified = () => verify('{}', headers, 'a-secret-of-16-characters', { now: () => now + seconds * 1_000 });
    expect(verified).toThrow(/too old, or too far ahead/);
  });

  test('is signed with both secrets while one is being changed, and by the platform scheme with the proven one', () => {
    const secrets = { secret: 'the-new-secret-0000', proven: false, encryptionCode: null };
    const previous = { secret: 'the-old-secret-0000', until: now + 1 };
    const sign = (at: number) =>
      signedHeaders({ eventId: 'evt_1', attempt: 1, body: '{}', now: at }, { ...secrets, previous });
    for (const secret of ['the-new-secret-0000', 'the-old-secret-0000']) {
      expect(verify('{}', sign(now), secret, { now: () => now })).toMatchObject({ eventId: 'evt_1' });
    }
    expect(isSignedByPlatform('{}', sign(now), 'the-old-secret-0000')).toBe(true);
    expect(() => verify('{}', sign(now + 1), 'the-old-secret-0000', { now: () => now })).toThrow(/check the secret/);
  });
});

describe('a receiver', () => {
  const secret = 'a-secret-of-16-characters';
  let server: Server;
  let origin: string;
  let events: WebhookEvent[];

  beforeEach(async () => {
    events = [];
    const onEvent = (event: WebhookEvent) => {
      if (event.id === 'evt_bad') throw new Error('no');
      events.push(event);
    };
    server = createServer(receiver({ secret, onEvent }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  test('answers the CRC handshake', async () => {
    const response = await fetch(`${origin}/hook?crc_token=abc`);
    const expected = `sha256=${createHmac('sha256', secret).update('abc').digest('base64')}`;
    expect(await response.json()).toEqual({ response_token: expected });
    expect(answerCrc('abc', secret)).toEqual({ response_token: expected });
  });

  const post = (body: string, headers: Record<string, string>) => fetch(origin, { method: 'POST', body, headers });

  test('hands over what was signed, refuses what was not, and asks again for what it could not handle', async () => {
    const body = JSON.stringify({
      id: 'evt_1',
      type: 'user.follow',
      created_at: '',
      actor_ids: [],
      actor_screen_names: [],
    });
    expect((await post(body, headersOf(body, secret, Date.now()))).status).toBe(200);
    expect((await post(`${body} `, headersOf(body, secret, Date.now()))).status).toBe(401);
    expect((await post(body, {})).status).toBe(401);
    const bad = body.replace('evt_1', 'evt_bad');
    expect((await post(bad, headersOf(bad, secret, Date.now()))).status).toBe(500);
    expect(events).toHaveLength(1);
    expect((await fetch(origin)).status).toBe(405);
  });
});
