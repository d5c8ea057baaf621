import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../src/main/open-store.ts';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { PosternError } from '../../src/shared/errors/postern-error.ts';
import type { MessageEvent } from '../../src/shared/model/event.ts';
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
import { PollerMessages } from '../../src/webhooks/polling/poller-messages.ts';
import { PollerRun } from '../../src/webhooks/shared/poller-run.ts';
import { WebhookVault } from '../../src/webhooks/shared/secrets.ts';
import { packMessage } from '../../src/webhooks/shared/stored-event.ts';
import { poller, waits, webhook } from '../store/webhook-makers.ts';

const keys = [new Secret(runtime.randomBytes(32))];
const vault = new WebhookVault(new Vault(keys, runtime), keys);
const receivers = new Receivers({ guard: new OutboundGuard({ allow: [], runtime }), runtime, allowLocalhost: true });

let directory: string;
let store: Store;
let realmsAreAway: boolean;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'postern-replaced-run-'));
  store = await openStore(readConfig({ DATA_DIR: directory }), runtime);
  realmsAreAway = true;
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

function message(id: string): MessageEvent {
  const createdAt = '2026-01-02T03:04:05.678Z';
  const of = { messageId: `m-${id}`, senderId: '2', conversationId: '1:2', createdAt, targetSeqId: null, sealed: null };
  const actor = { id: '2', userName: 'ben', name: 'Ben' };
  return {
    id,
    type: 'message.received',
    createdAt,
    actor,
    tweet: null,
    fromMe: false,
    message: { kind: 'message', seqId: id, ...of },
  };
}

/** Runs the poller as a process would, with its own access to the store. */
async function runAs(process: string, reached: Store) {
  const [record] = await store.pollers.claim(process, 1);
  if (!record) throw new Error('the poller cannot be claimed');
  const monitor = { attempted: () => {}, appended: () => {}, gap: () => {}, failed: () => {} };
  const run = new PollerRun(record, monitor);
  const parts = { store: reached, vault, runtime, run, monitor, receivers };
  const gate = new SendGate({ store: reached, runtime });
  const webhooks = new PollerWebhooks(parts);
  const reads = new FairQueue(deliveryReads);
  const queues = new DeliveryQueues({
    ...parts,
    gate,
    webhooks,
    reads,
    bodies: new EventBodies({ ...parts, reads }),
    results: new ResultWriter({ ...parts, allowances: { mayStore: () => true } }),
  });
  const opener = {
    check: async () => {},
    open: async (_opening: unknown, events: readonly MessageEvent[]) => {
      if (realmsAreAway) throw new PosternError('realms_unreachable', 'Too few key realms are reachable');
      return events.map(({ id }) => ({ text: `said in ${id}`, emoji: '', attachment: null, undecryptable: null }));
    },
  };
  const messages = new PollerMessages({ ...parts, opener, queues, webhooks });
  return {
    messages,
    hears: async (id: string) => {
      await queues.read(false);
      const event = message(id);
      const opened = await messages.open(record, [event], () => id);
      const sealed = vault.sealBody('a', id, packMessage(opened.get(id)?.body ?? null, event));
      const deliveries = [...(opened.get(id)?.webhooks ?? [])].map((webhook) => ({ event: id, webhook }));
      const append = { poller: record, cursor: id, events: [{ id, type: event.type, sealed }], deliveries };
      expect(await store.events.append(append)).toBe('appended');
    },
  };
}

test('a process that was suspended and replaced does not change the deliveries of its replacement', async () => {
  const secrets = { secret: 's', proven: true, previous: null, encryptionCode: '1234' };
  const sealed = vault.seal({ account: 'a', id: 'w1' }, secrets);
  const credentials = { authToken: 't', proxy: null };
  // The webhook is invalid, so that queued deliveries stay in the store.
  const one = webhook('w1', { sealed, hasEncryptionCode: true, valid: false });
  await store.webhooks.create(one, poller('p1', { sealed: vault.sealPoller('a', 'p1', credentials) }), 10);

  let wakes = () => {};
  const sleep = new Promise<void>((resolve) => {
    wakes = resolve;
  });
  let fallsAsleep = () => {};
  const asleep = new Promise<void>((resolve) => {
    fallsAsleep = resolve;
  });
  const update: Store['webhooks']['update'] = async (...given) => {
    if (!realmsAreAway) {
      fallsAsleep();
      await sleep;
    }
    return store.webhooks.update(...given);
  };
  const reached: Store = Object.create(store, { webhooks: { value: { ...store.webhooks, update } } });
  const first = await runAs('first', reached);
  await first.hears('e1');
  realmsAreAway = false;
  first.messages.waiting.look();
  await asleep;

  await store.pollers.leave('first');
  const second = await runAs('second', store);
  realmsAreAway = true;
  await second.hears('e2');
  wakes();
  await first.messages.waiting.end();
  realmsAreAway = false;
  second.messages.waiting.look();
  await expect.poll(() => waits(store)).toEqual(['e1', 'e2']);
  // A poller appends one batch of messages at a time. The batch of e1 and e2 ends when `messagesWait` is removed.
  const messagesWait = async () => {
    const record = await store.webhooks.find('a', 'w1');
    return record && vault.open(record).messagesWait;
  };
  await expect.poll(messagesWait).toBeUndefined();
  await second.hears('e3');
  second.messages.waiting.look();
  await expect.poll(() => waits(store)).toEqual(['e1', 'e2', 'e3']);
  await second.messages.waiting.end();
});
