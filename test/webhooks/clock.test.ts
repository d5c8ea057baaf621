import { expect, test } from 'vitest';
import { type Runtime, systemRuntime } from '../../src/shared/runtime/runtime.ts';
import type { Store } from '../../src/store/port.ts';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import { until } from '../support/until.ts';
import { useStore } from '../support/use-store.ts';
import { changeWebhook, outcomesOf, startWebhookFixture } from './fixture.ts';

const hourMs = 3_600_000;

/** Starts a service. Its store uses another clock, and the heartbeats of the service are counted. */
async function start(storeRuntime: Runtime, runtime: Runtime) {
  const { store, env } = await useStore(storeRuntime);
  let beats = 0;
  const beat: Store['pollers']['beat'] = (process) => {
    beats += 1;
    return store.pollers.beat(process);
  };
  const counting = Object.create(store, { pollers: { value: { ...store.pollers, beat } } });
  const fixture = await startWebhookFixture(env, { runtime, openStore: () => counting });
  return { fixture, beats: () => beats };
}

test('after the clock was set back, a process still sends heartbeats, and waiting events are due', async () => {
  const runtime = new AdjustableRuntime();
  const { fixture, beats } = await start(runtime, runtime);
  const { client, account, receiver, id } = await fixture.webhook();
  await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { paused: true });
  await fixture.happen(account);
  await until(async () => expect(await outcomesOf(client, id)).toEqual(['waiting']));
  runtime.leap(-hourMs);
  const before = beats();
  await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { paused: false });
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  await until(() => expect(beats()).toBeGreaterThan(before));
});

test('a gateway whose clock is wrong delivers and signs with the clock of the store', async () => {
  const wrong = new AdjustableRuntime();
  wrong.leap(-hourMs);
  const { fixture } = await start(systemRuntime, wrong);
  const { client, account, owner, receiver, id } = await fixture.webhook({}, { answer: () => ({ status: 500 }) });
  await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { paused: true });
  await fixture.happen(account);
  await until(async () => expect(await outcomesOf(client, id)).toEqual(['waiting']));
  await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { paused: false });
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  const signedAt = Number(receiver.deliveries[0]?.headers['webhook-timestamp']) * 1_000;
  expect(Math.abs(signedAt - Date.now())).toBeLessThan(hourMs / 2);
  const { deliveries } = (await owner.get(`/webhooks/${id}/deliveries`)).body.data;
  const [{ next_attempt_at: next } = { next_attempt_at: '' }] = deliveries as { next_attempt_at: string }[];
  expect(Math.abs(Date.parse(next) - Date.now())).toBeLessThan(hourMs / 2);
});
