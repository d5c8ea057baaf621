import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import type { Store } from '../../src/store/port.ts';
import { append, poller, webhook } from '../store/webhook-makers.ts';
import { startReceiver } from '../support/receiver.ts';
import { useStore } from '../support/use-store.ts';
import { claimPoller, vault } from './poller-parts.ts';

test('DeliveryQueues: makes no attempt if the queues end while its body is being read', async () => {
  const { store } = await useStore();
  const receiver = await startReceiver();
  const secrets = { secret: 's', proven: true, previous: null, encryptionCode: null };
  const sealed = vault.seal({ account: 'a', id: 'w1' }, secrets);
  await store.webhooks.create(webhook('w1', { url: receiver.url, sealed }), poller(), 10);
  const body = vault.sealBody('a', 'e1', '{}');
  const reads = new EventEmitter();
  const reading = once(reads, 'begins');
  const held: Store['events']['sealed'] = async () => {
    reads.emit('begins');
    await once(reads, 'end');
    return body;
  };
  const reached: Store = { ...store, events: { ...store.events, sealed: held } };
  const { record, queues } = await claimPoller(store, reached);
  await store.events.append({ ...append(record, ['e1']), events: [{ id: 'e1', type: 'tweet.like', sealed: body }] });
  await queues.read(true);
  await reading;
  const ended = queues.end();
  reads.emit('end');
  await ended;
  expect(receiver.deliveries).toEqual([]);
});
