import { expect, test } from 'vitest';
import type { WebhookRecord } from '../../src/store/port.ts';
import { mostCounted, reasonOf, stateOf } from '../../src/webhooks/registration/views.ts';
import { webhook } from '../store/webhook-makers.ts';
import { until } from '../support/until.ts';
import { changeWebhook, fetchWebhook, startWebhookFixture } from './fixture.ts';

const fixture = await startWebhookFixture();

const now = Date.parse('2026-11-22T12:00:00Z');

/** Returns the state and the reason of a webhook. */
function condition(parts: Partial<WebhookRecord>, lastError: string | null, count = 0, nextAt: number | null = null) {
  const record = webhook('w1', parts);
  const state = stateOf(record, lastError);
  return [state, state === 'active' ? null : reasonOf(record, state, lastError, { count, nextAt }, now)];
}

test('a webhook explains its state, what waits and what to do', () => {
  const hour = 3_600_000;
  expect(condition({}, null)).toEqual(['active', null]);
  const unchecked = { valid: false, keptSince: null, lastValidatedAt: null };
  expect(condition(unchecked, null)).toEqual(['pending', 'The first handshake with the receiver has not ended']);
  expect(condition(unchecked, 'CRC failed: it refuses connections')).toEqual([
    'invalid',
    'CRC failed: it refuses connections. PUT /webhooks/{id} runs the handshake again. No events are kept before the first handshake has passed',
  ]);
  expect(condition({ valid: false }, 'CRC failed: no answer', 1, now)).toEqual([
    'invalid',
    'CRC failed: no answer. 1 event waits. PUT /webhooks/{id} runs the handshake again',
  ]);
  expect(condition({ pausedAt: now - hour }, null, mostCounted + 1, now)).toEqual([
    'paused',
    'Paused since 2026-11-22T11:00:00.000Z. More than 1000 events wait. PATCH /webhooks/{id} with paused: false delivers the events of the last 24 hours',
  ]);
  expect(condition({ pausedAt: now, failingSince: now - hour }, 'CRC failed: status 502')[1]).toMatch(
    /^Paused since 2026-11-22T12:00:00.000Z. CRC failed: status 502. 0 events wait/,
  );
  const undelivered = { undeliveredSince: now - hour, undeliveredError: 'status 500' };
  expect(condition(undelivered, null, 2, now + hour)).toEqual([
    'stalled',
    'The receiver has accepted no event since 2026-11-22T11:00:00.000Z: status 500. 2 events wait; the next attempt is at 2026-11-22T13:00:00.000Z',
  ]);
  expect(condition(undelivered, null, 2, now - hour)[1]).toMatch(/the next attempt is due$/);
  expect(condition({}, 'Not polled any more: the token was refused')).toEqual([
    'stalled',
    'Not polled any more: the token was refused',
  ]);
  expect(condition({ failingSince: now }, 'CRC failed: status 502')[1]).toMatch(
    /^CRC failed: status 502. The handshake is repeated every hour, .* before 2026-11-23T16:00:00.000Z$/,
  );
});

test('a webhook whose receiver responds with errors is stalled until it accepts an event', async () => {
  const { client, account, owner, receiver, id } = await fixture.webhook({}, { answer: () => ({ status: 503 }) });
  expect(await fetchWebhook(client, id)).toMatchObject({ state: 'active', state_reason: null, paused: false });
  await fixture.happen(account);
  const waits = /^The receiver has accepted no event since .*: status 503\. 1 event waits; the next attempt is at /;
  await until(async () =>
    expect(await fetchWebhook(client, id)).toMatchObject({
      state: 'stalled',
      state_reason: expect.stringMatching(waits),
      valid: true,
      last_error: null,
    }),
  );
  receiver.answerWith(() => ({ status: 200 }));
  await owner.post('/webhooks/replay', { webhook_id: id, only: 'failed' });
  await until(async () =>
    expect(await fetchWebhook(client, id)).toMatchObject({ state: 'active', state_reason: null }),
  );

  const paused = (await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { paused: true })).body.data;
  expect(paused).toMatchObject({
    state: 'paused',
    state_reason: expect.stringMatching(/^Paused since .*\. 0 events wait/),
  });
  receiver.secret = 'forgotten by the receiver';
  const failed = (await changeWebhook(client, 'PUT', `/webhooks/${id}`)).body.data;
  expect(failed).toMatchObject({ state: 'paused', state_reason: expect.stringMatching(/^Paused.*CRC failed/) });
  const resumed = (await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { paused: false })).body.data;
  expect(resumed).toMatchObject({
    state: 'invalid',
    state_reason: expect.stringMatching(/^CRC failed.*runs the handshake again/),
  });
});
