import { expect, test } from 'vitest';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { Vault } from '../../src/shared/secrets/vault.ts';
import { AccountEvents } from '../../src/webhooks/account-events.ts';
import { WebhookVault } from '../../src/webhooks/shared/secrets.ts';
import { poller, waits, webhook } from '../store/webhook-makers.ts';
import { atEnd } from '../support/at-end.ts';
import { until } from '../support/until.ts';
import { useStore } from '../support/use-store.ts';

test('AccountEvents: delivers an event once to the webhooks that list its type, and streams it once', async () => {
  const { store } = await useStore();
  const keys = [new Secret(Buffer.alloc(32, 1))];
  const vault = new WebhookVault(new Vault(keys, systemRuntime), keys);
  const failed: unknown[] = [];
  const parts = { store, vault, runtime: systemRuntime, onError: (error: unknown) => failed.push(error) };
  const processes = [new AccountEvents(parts), new AccountEvents(parts)];
  atEnd(() => Promise.all(processes.map((one) => one.close())));
  const listed = ['tweet.like', 'connection.expired'];
  for (const [id, events] of [
    ['w1', listed],
    ['w2', null],
    ['w3', ['account.low_credit']],
  ] as const) {
    await store.webhooks.create(webhook(id, { events: events && [...events] }), poller(), 10);
  }
  await store.pollers.keepForStream(poller(), store.now() + 60_000);
  const fields = {
    connection_id: 'conn_1',
    user_id: '17',
    userName: 'ada',
    status: 'revoked' as const,
    reason: 'It was revoked',
  };
  const record = (key: string) =>
    Promise.all(processes.map((one) => one.record({ account: 'a', type: 'connection.expired', key, fields })));
  await record('conn_1 1');
  await until(async () => expect(await waits(store)).toHaveLength(1));
  await record('conn_1 1');
  await record('conn_1 2');
  await until(async () => expect(await waits(store)).toHaveLength(2));
  expect([await waits(store, 'w2'), await waits(store, 'w3'), failed]).toEqual([[], [], []]);
  const streamed = await store.events.after('a', 'p1', 0, 10);
  const bodies = streamed.map(({ id, sealed }) => JSON.parse(vault.openBody('a', id, sealed)));
  const [id, other] = streamed.map((event) => event.id);
  const common = { type: 'connection.expired', created_at: expect.any(String), account_id: 'a', ...fields };
  expect(bodies).toEqual([
    { id, ...common },
    { id: other, ...common },
  ]);
  expect(await waits(store)).toEqual([id, other]);
});
