import { expect, test } from 'vitest';
import { systemRuntime as runtime } from '../../src/shared/runtime/runtime.ts';
import { SendGate } from '../../src/webhooks/delivery/send-gate.ts';
import { afterCheck, afterPause, DailyCheck } from '../../src/webhooks/registration/daily-check.ts';
import { Handshakes } from '../../src/webhooks/registration/handshakes.ts';
import { lastErrorOf } from '../../src/webhooks/registration/views.ts';
import { webhook as makeWebhook, poller } from '../store/webhook-makers.ts';
import { startReceiver } from '../support/receiver.ts';
import { useStore } from '../support/use-store.ts';
import { secret } from './fixture.ts';
import { receivers, vault } from './poller-parts.ts';

const hour = 3_600_000;
const webhook = makeWebhook('wh_1', { keptSince: 0, lastValidatedAt: 0 });
const away = { result: 'unreachable', reason: 'CRC failed: it refuses connections' } as const;

test('a wrong response makes a webhook invalid at once', () => {
  const after = afterCheck(webhook, { result: 'wrong', reason: 'CRC failed: its answer is not JSON' }, 24 * hour);
  expect(after).toMatchObject({ valid: false, lastError: 'CRC failed: its answer is not JSON', keptSince: 0 });
});

test('network errors make a webhook invalid after 28 hours, and `lastError` shows the first one already', () => {
  let now = 24 * hour;
  let checked = webhook;
  for (; now < 52 * hour; now += hour) {
    checked = afterCheck(checked, away, now);
    expect(checked).toMatchObject({ valid: true, lastError: away.reason, failingSince: 24 * hour });
  }
  expect(afterCheck(checked, away, now)).toMatchObject({ valid: false, failingSince: null });
});

test('a check that passes resets earlier errors', () => {
  const checked = afterCheck(afterCheck(webhook, away, 24 * hour), { result: 'passed' }, 30 * hour);
  expect(checked).toMatchObject({ valid: true, lastError: null, failingSince: null, lastValidatedAt: 30 * hour });
  expect(afterCheck(checked, away, 53 * hour).valid).toBe(true);
});

test('a pause does not count as time in which the handshake fails', () => {
  const failing = afterCheck(webhook, away, 24 * hour);
  const paused = afterPause(failing, true, 25 * hour);
  expect(paused).toMatchObject({ valid: true, pausedAt: 25 * hour, failingSince: null, lastError: away.reason });
  expect(afterPause(paused, true, 26 * hour)).toEqual(paused);
  const resumed = afterPause(paused, false, 60 * hour);
  expect(resumed.pausedAt).toBeNull();
  expect(afterCheck(resumed, away, 60 * hour)).toMatchObject({ valid: true, failingSince: 60 * hour });
  expect(afterPause(failing, false, 25 * hour)).toEqual(failing);
});

test('a check that passes keeps the error of a refused code; a paused webhook is not checked', async () => {
  const { store } = await useStore();
  const receiver = await startReceiver({ secret });
  const secrets = { secret, proven: true, previous: null, encryptionCode: '1234', codeRefused: 'Wrong' };
  const { account, id } = webhook;
  const refused = { ...webhook, url: receiver.url, sealed: vault.seal(webhook, secrets), lastError: 'CRC failed' };
  await store.webhooks.create(refused, poller(), 10);
  const handshakes = new Handshakes({ store, receivers, vault, runtime, gate: new SendGate({ store, runtime }) });
  await new DailyCheck({ store, handshakes, runtime }).run([{ ...refused, pausedAt: 1 }]);
  expect(receiver.requests).toEqual([]);
  await new DailyCheck({ store, handshakes, runtime }).run([refused]);
  const checked = await store.webhooks.find(account, id);
  expect(checked).toMatchObject({ valid: true, lastError: null });
  const { codeRefused } = vault.open(checked ?? refused);
  const shown = lastErrorOf(checked ?? refused, { stopped: null, unreachable: null, codeRefused });
  expect(shown).toMatch(/^Messages are not opened .*Wrong/);
  expect(checked?.lastValidatedAt).toBeGreaterThan(0);
});
