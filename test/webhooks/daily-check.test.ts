import { expect, test } from 'vitest';
import type { WebhookRecord } from '../../src/store/port.ts';
import { afterCheck } from '../../src/webhooks/daily-check.ts';

const hour = 3_600_000;
const webhook: WebhookRecord = {
  ...{
    id: 'wh_1',
    account: 'acc_1',
    poller: 'p',
    createdAt: 0,
    url: 'https://hooks.example/',
    sealed: '',
    revision: 0,
  },
  ...{ hasEncryptionCode: false, events: null, valid: true, keptSince: 0, lastValidatedAt: 0, failingSince: null },
  ...{ lastDeliveryAt: null, lastError: null },
};
const away = { result: 'unreachable', reason: 'CRC failed: it refuses connections' } as const;

test('a wrong answer makes a webhook invalid at once', () => {
  const after = afterCheck(webhook, { result: 'wrong', reason: 'CRC failed: its answer is not JSON' }, 24 * hour);
  expect(after).toMatchObject({ valid: false, lastError: 'CRC failed: its answer is not JSON', keptSince: 0 });
});

test('a fault of the network does after 28 hours of them, and says so from the first on', () => {
  let now = 24 * hour;
  let checked = webhook;
  for (; now < 52 * hour; now += hour) {
    checked = afterCheck(checked, away, now);
    expect(checked).toMatchObject({ valid: true, lastError: away.reason, failingSince: 24 * hour });
  }
  expect(afterCheck(checked, away, now)).toMatchObject({ valid: false, failingSince: null });
});

test('one that passes forgets the faults before it', () => {
  const checked = afterCheck(afterCheck(webhook, away, 24 * hour), { result: 'passed' }, 30 * hour);
  expect(checked).toMatchObject({ valid: true, lastError: null, failingSince: null, lastValidatedAt: 30 * hour });
  expect(afterCheck(checked, away, 53 * hour).valid).toBe(true);
});
