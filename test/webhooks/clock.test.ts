import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/main/open-store.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import type { Store } from '../../src/store/port.ts';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import { until } from '../support/until.ts';
import { changeWebhook, outcomesOf, register, startWebhookFixture, type WebhookFixture } from './fixture.ts';

const hourMs = 3_600_000;

async function withFixture(
  runtimes: { store: AdjustableRuntime | typeof systemRuntime; gateway: AdjustableRuntime },
  run: (fixture: WebhookFixture, beats: () => number) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-clock-'));
  const store = await openStore(readConfig({ DATA_DIR: directory }), runtimes.store);
  let beats = 0;
  const beat: Store['pollers']['beat'] = (process) => {
    beats += 1;
    return store.pollers.beat(process);
  };
  const counting = Object.create(store, { pollers: { value: { ...store.pollers, beat } } });
  const overrides = { runtime: runtimes.gateway, openStore: () => counting };
  const fixture = await startWebhookFixture({ DATA_DIR: directory }, overrides);
  try {
    await run(fixture, () => beats);
  } finally {
    await fixture.stop();
    rmSync(directory, { recursive: true });
  }
}

test('after the clock was set back, a process still sends heartbeats, and waiting events are due', async () => {
  const runtime = new AdjustableRuntime();
  await withFixture({ store: runtime, gateway: runtime }, async (fixture, beats) => {
    const { client, account } = await fixture.actor();
    const receiver = await fixture.receiver();
    const { id } = await register(client, { url: receiver.url });
    await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { paused: true });
    await fixture.happen(account);
    await until(async () => expect(await outcomesOf(client, id)).toEqual(['waiting']));
    runtime.leap(-hourMs);
    const before = beats();
    await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { paused: false });
    await until(() => expect(receiver.deliveries).toHaveLength(1));
    await until(() => expect(beats()).toBeGreaterThan(before));
  });
});

test('a gateway whose clock is wrong delivers and signs with the clock of the store', async () => {
  const wrong = new AdjustableRuntime();
  wrong.leap(-hourMs);
  await withFixture({ store: systemRuntime, gateway: wrong }, async (fixture) => {
    const { client, account } = await fixture.actor();
    const receiver = await fixture.receiver({ answer: () => ({ status: 500 }) });
    const { id } = await register(client, { url: receiver.url });
    await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { paused: true });
    await fixture.happen(account);
    await until(async () => expect(await outcomesOf(client, id)).toEqual(['waiting']));
    await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { paused: false });
    await until(() => expect(receiver.deliveries).toHaveLength(1));
    const signedAt = Number(receiver.deliveries[0]?.headers['webhook-timestamp']) * 1_000;
    expect(Math.abs(signedAt - Date.now())).toBeLessThan(hourMs / 2);
    const { deliveries } = (await client.with({ authToken: '' }).get(`/webhooks/${id}/deliveries`)).body.data;
    const [{ next_attempt_at: next } = { next_attempt_at: '' }] = deliveries as { next_attempt_at: string }[];
    expect(Math.abs(Date.parse(next) - Date.now())).toBeLessThan(hourMs / 2);
  });
});
