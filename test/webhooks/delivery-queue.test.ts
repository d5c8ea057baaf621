import { EventEmitter, once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/main/open-store.ts';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime as runtime } from '../../src/shared/runtime/runtime.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { Vault } from '../../src/shared/secrets/vault.ts';
import { FairQueue } from '../../src/shared/threads/fair-queue.ts';
import type { Store } from '../../src/store/port.ts';
import { DeliveryQueues } from '../../src/webhooks/delivery/delivery-queues.ts';
import { deliveryReads, EventBodies } from '../../src/webhooks/delivery/event-bodies.ts';
import { PollerWebhooks } from '../../src/webhooks/delivery/poller-webhooks.ts';
import { Receivers } from '../../src/webhooks/delivery/receiver.ts';
import { ResultWriter } from '../../src/webhooks/delivery/result-writer.ts';
import { SendGate } from '../../src/webhooks/delivery/send-gate.ts';
import { PollerRun } from '../../src/webhooks/shared/poller-run.ts';
import { WebhookVault } from '../../src/webhooks/shared/secrets.ts';
import { append, poller, webhook } from '../store/webhook-makers.ts';
import { startReceiver } from '../support/receiver.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const keys = [new Secret(runtime.randomBytes(32))];
const vault = new WebhookVault(new Vault(keys, runtime), keys);

test('DeliveryQueues: starts no attempt whose body was still being read when the queues ended', async () => {
  const store = await openStore(readConfig({ DATA_DIR: temporaryFolder() }), runtime);
  const receiver = await startReceiver();
  onTestFinished(async () => {
    await Promise.all([store.close(), receiver.stop()]);
  });
  const sealed = vault.seal(
    { account: 'a', id: 'w1' },
    { secret: 's', proven: true, previous: null, encryptionCode: null },
  );
  await store.webhooks.create(webhook('w1', { url: receiver.url, sealed }), poller(), 10);
  const [record] = await store.pollers.claim('one', 1);
  if (!record) throw new Error('the poller cannot be claimed');
  const body = vault.sealBody('a', 'e1', '{}');
  await store.events.append({ ...append(record, ['e1']), events: [{ id: 'e1', type: 'tweet.like', sealed: body }] });

  const reads = new EventEmitter();
  const reading = once(reads, 'begins');
  const held: Store['events']['sealed'] = async () => {
    reads.emit('begins');
    await once(reads, 'end');
    return body;
  };
  const reached: Store = { ...store, events: { ...store.events, sealed: held } };
  const monitor = { attempted: () => {}, appended: () => {}, gap: () => {}, failed: () => {} };
  const run = new PollerRun(record, monitor);
  const guard = new OutboundGuard({ allow: [], runtime });
  const receivers = new Receivers({ guard, runtime, allowLocalhost: true });
  const parts = { store: reached, vault, runtime, run, monitor, receivers, reads: new FairQueue(deliveryReads) };
  const queues = new DeliveryQueues({
    ...parts,
    gate: new SendGate(parts),
    webhooks: new PollerWebhooks(parts),
    bodies: new EventBodies(parts),
    results: new ResultWriter({ ...parts, allowances: { mayStore: () => true } }),
  });
  await queues.read(true);
  await reading;
  const ended = queues.end();
  reads.emit('end');
  await ended;
  expect(receiver.deliveries).toEqual([]);
});
