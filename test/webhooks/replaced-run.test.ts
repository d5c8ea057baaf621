import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { PosternError } from '../../src/shared/errors/postern-error.ts';
import type { MessageEvent } from '../../src/shared/model/event.ts';
import type { Store } from '../../src/store/port.ts';
import { PollerMessages } from '../../src/webhooks/polling/poller-messages.ts';
import { packMessage } from '../../src/webhooks/shared/stored-event.ts';
import { poller, waits, webhook } from '../store/webhook-makers.ts';
import { useStore } from '../support/use-store.ts';
import { claimPoller, vault } from './poller-parts.ts';

const { store } = await useStore();
let realmsAreAway = true;

function message(id: string): MessageEvent {
  const createdAt = '2026-01-02T03:04:05.678Z';
  const message = { seqId: id, senderId: '2', conversationId: '1:2', createdAt, encoded: '' };
  const actor = { id: '2', userName: 'ben', name: 'Ben' };
  return { id, type: 'message.received', createdAt, actor, tweet: null, fromMe: false, message };
}

/** Runs the poller as a process would, with its own access to the store. */
async function runAs(process: string, reached: Store) {
  const { record, queues, ...parts } = await claimPoller(store, reached, process);
  const opener = {
    check: async () => {},
    open: async (_opening: unknown, events: readonly MessageEvent[]) => {
      if (realmsAreAway) throw new PosternError('realms_unreachable', 'Too few key realms are reachable');
      const rest = { emoji: '', attachment: null, undecryptable: null, targetSeqIds: [] };
      return events.map(({ id, type }) => ({ type, messageId: `m-${id}`, text: `said in ${id}`, ...rest }));
    },
  };
  const messages = new PollerMessages({ ...parts, opener, queues });
  return {
    messages,
    hears: async (id: string) => {
      await queues.read(false);
      const event = message(id);
      const opened = await messages.open([event], () => id);
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

  const suspension = new EventEmitter();
  const asleep = once(suspension, 'sleep');
  const awake = once(suspension, 'wake');
  const update: Store['webhooks']['update'] = async (...given) => {
    if (!realmsAreAway) {
      suspension.emit('sleep');
      await awake;
    }
    return store.webhooks.update(...given);
  };
  const reached: Store = Object.create(store, { webhooks: { value: { ...store.webhooks, update } } });
  const first = await runAs('first', reached);
  await first.hears('e1');
  realmsAreAway = false;
  first.messages.retryWaiting();
  await asleep;

  await store.pollers.leave('first');
  const second = await runAs('second', store);
  realmsAreAway = true;
  await second.hears('e2');
  suspension.emit('wake');
  await first.messages.end();
  realmsAreAway = false;
  second.messages.retryWaiting();
  await expect.poll(() => waits(store)).toEqual(['e1', 'e2']);
  // A poller appends one batch of messages at a time. The batch of e1 and e2 ends when `messagesWait` is removed.
  const messagesWait = async () => {
    const record = await store.webhooks.find('a', 'w1');
    return record && vault.open(record).messagesWait;
  };
  await expect.poll(messagesWait).toBeUndefined();
  await second.hears('e3');
  second.messages.retryWaiting();
  await expect.poll(() => waits(store)).toEqual(['e1', 'e2', 'e3']);
  await second.messages.end();
});
