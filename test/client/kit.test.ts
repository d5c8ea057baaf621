import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  answerCrc,
  fetchReceiver,
  isSignedByPlatform,
  type ReceivedHeaders,
  receiver,
  verify,
  type WebhookEvent,
  WebhookVerificationError,
} from '../../src/client/webhooks/index.ts';
import { signedHeaders } from '../../src/webhooks/delivery/signatures.ts';
import { originOf } from '../support/listen.ts';
import { exchange } from '../support/raw.ts';

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

  describe('with a secret of whsec_ and base64', () => {
    const decoded = 'a-key-of-sixteen-bytes-and-ten';
    const secret = `whsec_${Buffer.from(decoded).toString('base64')}`;
    const previous = { secret: `whsec_${'Ab1+'.repeat(30)}`, until: Number.POSITIVE_INFINITY };

    test('is verified by the Standard Webhooks library and the kit, also during a rotation', () => {
      const payload = { eventId: 'evt_1', attempt: 1, body: '{}', now: Date.now() };
      const headers = signedHeaders(payload, { ...secretsOf(secret), previous });
      for (const given of [secret, previous.secret, `whsec_${Buffer.from(secret).toString('base64')}`]) {
        expect(new Webhook(given).verify('{}', headers)).toEqual({});
        expect(verify('{}', headers, given)).toMatchObject({ eventId: 'evt_1' });
      }
      expect(verify('{}', headers, decoded)).toMatchObject({ eventId: 'evt_1' });
      expect(headers['webhook-signature']).toMatch(/^v1,\S{44}( v1,\S{44}){3}$/);
      expect(verify('{}', headersOf('{}', decoded), secret, { now: () => now })).toMatchObject({ eventId: 'evt_1' });
    });

    test.each([
      'whsec_',
      'whsec_not-base64_text',
      'whsec_Ab1+A',
      'whsec_Ab1=Ab1=',
      'WHSEC_Ab1+Ab1+',
      'xwhsec_Ab1+Ab1+',
    ])('has one signature if the text after whsec_ is not base64: %s', (other) =>
      expect(headersOf('{}', other)['webhook-signature']).toMatch(/^v1,\S{44}$/),
    );
  });

  const signed = headersOf('{}', 'a-secret-of-16-characters');
  const entries = Object.entries(signed);
  const capital = (name: string) => name.replace(/(^|-)\w/g, (start) => start.toUpperCase());

  test.each<[string, ReceivedHeaders]>([
    ['names in capitals', Object.fromEntries(entries.map(([name, value]) => [capital(name), value]))],
    ['multiValueHeaders', Object.fromEntries(entries.map(([name, value]) => [capital(name), [value]]))],
    ['the same value in two spellings', { ...signed, 'Webhook-Id': signed['webhook-id'] }],
    ['Headers', new Headers(signed)],
    ['a Map', new Map(entries.map(([name, value]) => [capital(name), value]))],
    ['pairs', entries.map(([name, value]) => [name.toUpperCase(), [value]] as const)],
    ['an object with get', { get: (name: string) => signed[name] ?? null }],
  ])('is verified with headers as %s', (_form, headers) => {
    expect(verify('{}', headers, 'a-secret-of-16-characters', { now: () => now })).toEqual({
      eventId: 'evt_1',
      attempt: 2,
    });
  });

  test.each<[RegExp, unknown, unknown]>([
    [/received text or bytes, not parsed JSON/, {}, signed],
    [/received text or bytes/, undefined, signed],
    [/received text or bytes/, null, signed],
    [/decoded if isBase64Encoded is true/, Buffer.from('{}').toString('base64'), signed],
    [/the headers are missing/, '{}', undefined],
    [/the headers are missing/, '{}', 'webhook-id: evt_1'],
    [/the header webhook-id is missing/, '{}', {}],
    [/the header webhook-id is missing/, '{}', entries.map(([name, value]) => ({ name, value }))],
    [/the header webhook-id is missing/, '{}', { ...signed, 'webhook-id': [] }],
    [/the header webhook-id has several values/, '{}', { ...signed, 'Webhook-Id': 'evt_2' }],
    [/the header webhook-signature is missing/, '{}', { ...signed, 'webhook-signature': 5 }],
    [/webhook-timestamp is not a Unix time/, '{}', { ...signed, 'webhook-timestamp': 'today' }],
    [/x-platform-webhooks-attempt is not a number/, '{}', { ...signed, 'x-platform-webhooks-attempt': 'first' }],
  ])('throws a WebhookVerificationError that names the fault: %s', (message, body, headers) => {
    const verified = () =>
      verify(body as string, headers as ReceivedHeaders, 'a-secret-of-16-characters', { now: () => now });
    expect(verified).toThrow(WebhookVerificationError);
    expect(verified).toThrow(message);
  });

  test('is verified by the kit, and says which event and attempt it is', () => {
    fc.assert(
      fc.property(secretText, bodyText, (secret, body) => {
        const verified = verify(body, headersOf(body, secret), secret, { now: () => now });
        expect(verified).toEqual({ eventId: 'evt_1', attempt: 2 });
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

  test('has the id that is signed, so that a delivery sent again under another id is recognised', () => {
    const headers = { ...headersOf('{}', 'a-secret-of-16-characters'), 'x-platform-webhooks-event-id': 'evt_2' };
    const verified = verify('{}', headers, 'a-secret-of-16-characters', { now: () => now });
    expect(verified.eventId).toBe('evt_1');
  });

  test.each([-301, 301])('is refused when its clock is %i s off', (seconds) => {
    const headers = headersOf('{}', 'a-secret-of-16-characters');
    const verified = () => verify('{}', headers, 'a-secret-of-16-characters', { now: () => now + seconds * 1_000 });
    expect(verified).toThrow(/too old, or too far ahead/);
  });

  test('costs one HMAC for each secret, however many signatures its header lists', () => {
    const body = new Uint8Array(1024 * 1024);
    const headers = { ...headersOf('', 'a-secret-of-16-characters'), 'webhook-signature': 'v1,AAAA '.repeat(2_000) };
    const before = process.cpuUsage();
    expect(() => verify(body, headers, 'a-secret-of-16-characters', { now: () => now })).toThrow(/check the secret/);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(500);
  });

  test.each([undefined, null, 42, {}, '', [], [''], ['a-secret-of-16-characters', undefined]])(
    'is never verified with the secret %j',
    (secret) => {
      const forged = () => verify('{}', headersOf('{}', ''), secret as string, { now: () => now });
      expect(forged).toThrow(/missing or empty/);
      expect(() => receiver({ secret: secret as string, onEvent: () => undefined })).toThrow(/missing or empty/);
      expect(() => fetchReceiver({ secret: secret as string, onEvent: () => undefined })).toThrow(/missing or empty/);
    },
  );

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

describe('a receiver', async () => {
  const secret = 'a-secret-of-16-characters';
  const events: WebhookEvent[] = [];
  const onEvent = (event: WebhookEvent) => {
    if (event.id === 'evt_bad') throw new Error('no');
    events.push(event);
  };
  const origin = await originOf(createServer(receiver({ secret, onEvent })));
  beforeEach(() => void events.splice(0));

  test('answers the CRC handshake', async () => {
    const response = await fetch(`${origin}/hook?crc_token=abc`);
    const expected = `sha256=${createHmac('sha256', secret).update('abc').digest('base64')}`;
    expect(await response.json()).toEqual({ response_token: expected });
    expect(answerCrc('abc', secret)).toEqual({ response_token: expected });
  });

  test.each([undefined, null, '', ['abc'], 'a b', 'x'.repeat(129)])(
    'refuses %j as the token of a handshake',
    (token) => {
      expect(() => answerCrc(token as string, secret)).toThrow(WebhookVerificationError);
    },
  );

  const post = (body: string, headers: Record<string, string>) => fetch(origin, { method: 'POST', body, headers });

  test('signs no delivery that someone sends as the token of a handshake', async () => {
    const body = JSON.stringify({ id: 'evt_forged', type: 'user.follow', actor_ids: [], actor_screen_names: [] });
    const timestamp = Math.floor(Date.now() / 1_000);
    for (const content of [`evt_forged.${timestamp}.${body}`, body]) {
      const response = await fetch(`${origin}/hook?crc_token=${encodeURIComponent(content)}`);
      expect(response.status).toBe(401);
      const { response_token: token = '' } = (await response.json()) as { response_token?: string };
      const forged = { 'webhook-id': 'evt_forged', 'webhook-timestamp': String(timestamp) };
      const signature = `v1,${token.slice('sha256='.length)}`;
      expect((await post(body, { ...forged, 'webhook-signature': signature })).status).toBe(401);
      expect(isSignedByPlatform(body, { 'x-platform-webhooks-signature': token }, secret)).toBe(false);
    }
    expect(events).toEqual([]);
  });

  test('hands over what was signed, refuses what was not, and asks again for what it could not handle', async () => {
    const actors = { actor_ids: [], actor_screen_names: [] };
    const body = JSON.stringify({ id: 'evt_1', type: 'user.follow', created_at: '', ...actors });
    expect((await post(body, headersOf(body, secret, Date.now()))).status).toBe(200);
    expect((await post(`${body} `, headersOf(body, secret, Date.now()))).status).toBe(401);
    expect((await post(body, {})).status).toBe(401);
    const bad = body.replace('evt_1', 'evt_bad');
    expect((await post(bad, headersOf(bad, secret, Date.now()))).status).toBe(500);
    expect(events).toHaveLength(1);
    expect((await fetch(origin)).status).toBe(405);
  });

  test('responds to paths that are no URL', async () => {
    const { text } = await exchange(origin, 'GET // HTTP/1.1\r\nHost: receiver\r\nConnection: close\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1.1 405 /);
  });
});

describe('a receiver of Request and Response', () => {
  const secret = 'a-secret-of-16-characters';
  const events: WebhookEvent[] = [];
  const secrets = [secret, 'the-old-secret-0000'];
  const receive = fetchReceiver({ secret: secrets, onEvent: (event) => void events.push(event) });
  const post = (body: string | ReadableStream<Uint8Array>, headers: Record<string, string>) =>
    new Request('http://receiver/hook', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);

  test('answers the CRC handshake with the newest secret', async () => {
    const response = await receive(new Request('http://receiver/hook?tenant=1&crc_token=abc'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual(answerCrc('abc', secret));
  });

  test('hands over what one of its secrets signed, in any number of pieces', async () => {
    const body = JSON.stringify({ id: 'evt_1', type: 'webhook.test', webhook_id: 'wh_ü' });
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of new TextEncoder().encode(body)) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect((await receive(post(pieces, headersOf(body, 'the-old-secret-0000', Date.now())))).status).toBe(200);
    expect(events).toEqual([JSON.parse(body)]);
  });

  test('refuses what is not signed, was read before, or does not end', async () => {
    expect((await receive(post('{}', {}))).status).toBe(401);
    const read = post('{}', headersOf('{}', secret, Date.now()));
    await read.text();
    expect(await (await receive(read)).json()).toEqual({ error: expect.stringContaining('before what parses bodies') });
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel() {
        cancelled = true;
      },
    });
    const refused = await receive(post(endless, headersOf('{}', secret, Date.now())));
    expect([refused.status, cancelled]).toEqual([401, true]);
    expect((await receive(new Request('http://receiver/hook'))).status).toBe(405);
  });
});
