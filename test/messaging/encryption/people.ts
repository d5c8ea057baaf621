import { randomBytes } from 'node:crypto';
import {
  type ChatKeys,
  type ConversationKey,
  ConversationKeys,
  conversationIdOf,
  generateChatKeys,
  type OpenedEvent,
  openEvent,
  Peers,
  type Reader,
  type RegisteredKeys,
  registrationOf,
  type Self,
  sealKeyChange,
} from '../../../src/messaging/encryption/index.ts';

export const nowMs = Date.UTC(2026, 10, 21);

export function person(userId: string, keys: ChatKeys = generateChatKeys(randomBytes)): Self {
  return { userId, publicKeyVersion: '1', keys };
}

export function registered({ userId, publicKeyVersion, keys }: Self): RegisteredKeys {
  return { userId, publicKeyVersion, ...registrationOf(keys) };
}

/** Ada and Bo, who know each other's keys and have a conversation. */
export interface Pair {
  ada: Self;
  bo: Self;
  conversationId: string;
  peers: Peers;
  key: ConversationKey;
  /** The key change with which Ada began the conversation. */
  established: ReturnType<typeof established>['event'];
  /** Returns a reader with the conversation's key. */
  reader(self: Self): Reader;
}

export function pair(ada = person('111'), bo = person('222')): Pair {
  const conversationId = conversationIdOf(ada.userId, bo.userId);
  const peers = new Peers([registered(ada), registered(bo)]);
  const { event, key } = established(ada, conversationId, peers);
  const reader = (self: Self): Reader => {
    const keys = new ConversationKeys();
    keys.adopt(key);
    return { self, conversationId, peers, keys };
  };
  return { ada, bo, conversationId, peers, key, established: event, reader };
}

export function established(self: Self, conversationId: string, peers: Peers) {
  const change = sealKeyChange(self, conversationId, peers, { nowMs, randomBytes });
  if (!change.ok) throw new Error(change.reason);
  return change.value;
}

/** Opens the events of a page. An event may precede the key change that has its key. */
export function openEvents(page: readonly string[], reader: Reader): OpenedEvent[] {
  for (const event of page) {
    const result = openEvent(event, reader);
    if (result.ok && result.value.kind === 'keyChange') reader.keys.adopt(result.value.key);
  }
  return page.map((event) => openEvent(event, reader));
}
