import { expect, test } from 'vitest';
import type { WebhookRecord } from '../../src/store/port.ts';
import { SendGate } from '../../src/webhooks/delivery/send-gate.ts';
import { PollerHost } from '../../src/webhooks/polling/poller-host.ts';
import { afterCheck, afterPause, DailyCheck } from '../../src/webhooks/registration/daily-check.ts';
import { Handshakes } from '../../src/webhooks/registration/handshakes.ts';
import { lastErrorOf } from '../../src/webhooks/registration/views.ts';
import { manualRuntime } from '../store/manual-runtime.ts';
import { webhook as makeWebhook, poller } from '../store/webhook-makers.ts';
import { atEnd } from '../support/at-end.ts';
import { startReceiver } from '../support/receiver.ts';
import { useStore } from '../support/use-store.ts';
import { secret } from './fixture.ts';
import { monitor, receivers, vault } from './poller-parts.ts';

const minute = 60_000;
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

/** Starts the daily check of these webhooks of an empty store. */
async function startCheck(webhooks: () => readonly WebhookRecord[]) {
  const runtime = manualRuntime();
  const { store } = await useStore(runtime);
  const gate = new SendGate({ store, runtime });
  const handshakes = new Handshakes({ store, receivers, vault, runtime, gate });
  const check = new DailyCheck({
    store,
    handshakes,
    runtime,
    webhooks,
    onError: (error) => expect.fail(String(error)),
  });
  atEnd(() => check.close());
  return { runtime, store, gate };
}

test('a check that passes keeps the error of a refused code; a paused webhook is not checked', async () => {
  const receiver = await startReceiver({ secret });
  const secrets = { secret, proven: true, previous: null, encryptionCode: '1234', codeRefused: 'Wrong' };
  const { account, id } = webhook;
  const refused = { ...webhook, url: receiver.url, sealed: vault.seal(webhook, secrets), lastError: 'CRC failed' };
  let listed: WebhookRecord[] = [{ ...refused, pausedAt: 1 }];
  const { runtime, store } = await startCheck(() => listed);
  await store.webhooks.create(refused, poller(), 10);
  await runtime.advance(minute);
  expect(receiver.requests).toEqual([]);
  listed = [refused];
  await runtime.advance(minute);
  const find = async () => (await store.webhooks.find(account, id)) ?? refused;
  await expect.poll(find).toMatchObject({ valid: true, lastError: null });
  const checked = await find();
  const { codeRefused } = vault.open(checked);
  const shown = lastErrorOf(checked, { stopped: null, unreachable: null, codeRefused });
  expect(shown).toMatch(/^Messages are not opened .*Wrong/);
  expect(checked.lastValidatedAt).toBeGreaterThan(0);
});

test('DailyCheck: checks the webhook of a stopped poller once', async () => {
  const receiver = await startReceiver({ secret });
  const hosts: PollerHost[] = [];
  const { runtime, store, gate } = await startCheck(() => hosts.flatMap((host) => host.webhooks));
  const sealed = vault.seal(webhook, { secret, proven: true, previous: null, encryptionCode: null });
  await store.webhooks.create({ ...webhook, url: receiver.url, sealed }, poller(), 10);
  const [record] = await store.pollers.claim('dead', 1);
  if (!record) throw new Error('the poller cannot be claimed');
  await store.pollers.stop(record, 'Platform rejected auth_token');
  await store.pollers.leave('dead');
  const services = { store, vault, runtime, receivers, gate, monitor, platform: { maxWaitingCalls: 0 } };
  const limits = { perMinute: 1, perDay: 1, bytesPerDay: 1 };
  const host = new PollerHost(services as unknown as ConstructorParameters<typeof PollerHost>[0], limits);
  hosts.push(host);
  host.start();
  const checks = async () => {
    await runtime.advance(1_000);
    return receiver.requests.length;
  };
  await expect.poll(checks).toBe(1);
  await expect
    .poll(async () => (await store.webhooks.find(webhook.account, webhook.id))?.lastValidatedAt)
    .toBeGreaterThan(0);
  await runtime.advance(2 * minute);
  expect(receiver.requests).toHaveLength(1);
  await host.close();
});
