import { LRUCache } from 'lru-cache';
import type { Platform, PlatformCall, PlatformSession } from '../../platform/port.ts';
import { isUnreadable, PosternError } from '../../shared/errors/postern-error.ts';
import type { MessageEvent } from '../../shared/model/event.ts';
import { upTo } from '../../shared/runtime/lru.ts';
import { turn } from '../../shared/runtime/turns.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { emojiOf } from '../../shared/text/emoji.ts';
import type { MessageOpener, OpenedMessage, Opening } from '../../webhooks/shared/message-opener.ts';
import {
  type ChatEvent,
  envelopeOf,
  isKeyChange,
  type Opened,
  type OpenFailure,
  placeEvent,
  type SignedEvent,
} from '../encryption/index.ts';
import type { Actor } from './actor.ts';
import type { DirectMessages } from './direct-messages.ts';
import { OpenConversation } from './open-conversation.ts';

/** The number of message ids that are remembered to detect replays. */
const maxRemembered = 20_000;

/** The maximum number of conversations that are read concurrently. Each may have megabytes of key changes. */
const readAtOnce = 4;

/** The reasons that the newest keys may remove. */
const staleReasons = new Set<string>(['no_key', 'unknown_sender'] satisfies OpenFailure[]);

export interface EventOpenerParts {
  directMessages: DirectMessages;
  platform: Platform;
  readProxy: (text: Secret) => PlatformCall['proxy'];
}

/** Decrypts messages for webhooks and event streams, with the account, proxy and code of each subscription. */
export class EventOpener implements MessageOpener {
  readonly #parts: EventOpenerParts;
  readonly #seen = new LRUCache<string, string>(upTo(maxRemembered));

  constructor(parts: EventOpenerParts) {
    this.#parts = parts;
  }

  async check(opening: Opening): Promise<void> {
    const { actor } = await this.#act(opening);
    actor.wipe();
  }

  async open(opening: Opening, given: readonly MessageEvent[]): Promise<(OpenedMessage | null)[]> {
    if (given.length === 0) return [];
    const events = given.map(inCurrentForm);
    const { actor, session } = await this.#act(opening);
    try {
      const opened = await this.#openAll(actor, session, events);
      // The users may have keys that are newer than the cached ones.
      const stale = events.filter((_event, at) => staleReasons.has(opened[at]?.ok === false ? opened[at].reason : ''));
      for (const { message } of stale) actor.known.forget(message.conversationId);
      const again = await this.#openAll(actor, session, stale);
      return events.map((event, at) => {
        const retried = stale.indexOf(event);
        return this.#openedOnce(opening.account, event, retried < 0 ? opened[at] : again[retried]);
      });
    } finally {
      actor.wipe();
    }
  }

  /** Opens events. An item is undefined if its conversation no longer exists. */
  async #openAll(
    actor: Actor,
    { messages }: PlatformSession,
    events: readonly MessageEvent[],
  ): Promise<(Opened<ChatEvent> | undefined)[]> {
    const ids = [...new Set(events.map(({ message }) => message.conversationId))];
    const nowMs = this.#parts.directMessages.now();
    const peers = await actor.known.peersOf(ids, messages, nowMs);
    const found = new Map<string, OpenConversation>();
    const open = async (id: string) => {
      const own = peers.get(id);
      const changes = await orNull(actor.known.keyChangesOf(id, messages, nowMs));
      if (own !== undefined && changes !== null) found.set(id, await OpenConversation.of(id, actor, own, changes));
    };
    for (let at = 0; at < ids.length; at += readAtOnce) await Promise.all(ids.slice(at, at + readAtOnce).map(open));
    const opened: (Opened<ChatEvent> | undefined)[] = [];
    for (const { message } of events) {
      await turn();
      opened.push(found.get(message.conversationId)?.open(message));
    }
    for (const conversation of found.values()) conversation.wipe();
    return opened;
  }

  /** Returns `null` for a message that repeats another one. */
  #openedOnce(account: string, { type, message }: MessageEvent, opened?: Opened<ChatEvent>): OpenedMessage | null {
    if (!opened?.ok) return isKeyChange(message.encoded) ? null : unreadable(type, message, opened?.reason ?? 'no_key');
    const { value } = opened;
    const { messageId, senderId, conversationId } = value;
    const name = `${account} ${conversationId} ${senderId} ${messageId}`;
    const first = this.#seen.get(name) ?? message.seqId;
    this.#seen.set(name, first);
    return first === message.seqId ? saying(type, value) : null;
  }

  async #act({ account, credentials, code }: Opening): Promise<{ actor: Actor; session: PlatformSession }> {
    const { directMessages, platform, readProxy } = this.#parts;
    const authToken = new Secret(credentials.authToken);
    const proxy = credentials.proxy === null ? null : new Secret(credentials.proxy);
    const session = platform.as({
      account,
      authToken,
      proxy: proxy && readProxy(proxy),
      signal: null,
      tokenFor: () => {
        throw new Error('opening a message must not write to the platform');
      },
    });
    const who = { account, authToken, proxy };
    const secret = new Secret(code);
    return { actor: await directMessages.actor({ session, who, code: secret }, secret), session };
  }
}

/**
 * Returns `null` if the conversation no longer exists or its answer cannot be read. In that case its messages stay
 * encrypted, and other messages are still delivered.
 */
async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof PosternError && (error.code === 'not_found' || isUnreadable(error))) return null;
    throw error;
  }
}

/** Earlier releases stored the parts of an event, which may still wait for its code. */
type StoredMessage = MessageEvent['message'] & Pick<SignedEvent, 'messageId'> & { sealed: SignedEvent | null };

function inCurrentForm(event: MessageEvent): MessageEvent {
  if (event.message.encoded !== undefined) return event;
  const message = event.message as StoredMessage;
  const { seqId: sequenceId, createdAt } = message;
  const encoded = placeEvent(message.sealed ?? message, { sequenceId, createdAtMs: Date.parse(createdAt) });
  return { ...event, type: event.fromMe ? 'message.sent' : 'message.received', message: { ...message, encoded } };
}

const empty = { targetSeqIds: [], text: '', emoji: '', attachment: null, undecryptable: null };

/** An event that cannot be decrypted counts as a message, because its kind is encrypted. */
function unreadable(
  type: MessageEvent['type'],
  { encoded }: MessageEvent['message'],
  reason: OpenFailure,
): OpenedMessage {
  return { ...empty, type, messageId: envelopeOf(encoded)?.messageId ?? '', undecryptable: reason };
}

function saying(type: MessageEvent['type'], event: ChatEvent): OpenedMessage | null {
  const { messageId } = event;
  switch (event.kind) {
    case 'message': {
      const [first] = event.attachments;
      const attachment = first === undefined ? null : { type: first.type, filename: first.filename, size: first.size };
      return { ...empty, type, messageId, text: event.text, attachment };
    }
    case 'edit':
      return { ...empty, type: 'message.edited', messageId, targetSeqIds: [event.targetSequenceId], text: event.text };
    case 'reactionAdded':
    case 'reactionRemoved': {
      const emoji = emojiOf(event.emoji) ?? event.emoji;
      return { ...empty, type: `message.${event.kind}`, messageId, targetSeqIds: [event.targetSequenceId], emoji };
    }
    case 'delete':
      // The other user may delete messages from their own view only.
      if (!event.forAll && type === 'message.received') return null;
      return { ...empty, type: 'message.deleted', messageId, targetSeqIds: event.sequenceIds };
    case 'keyChange':
      return null;
  }
}
