import { LRUCache } from 'lru-cache';
import type { PlatformMessages } from '../../platform/messages-port.ts';
import type { Platform, PlatformCall, PlatformSession } from '../../platform/port.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { MessageEvent } from '../../shared/model/event.ts';
import type { PlacedKeyChange } from '../../shared/model/sealed-event.ts';
import { upTo } from '../../shared/runtime/lru.ts';
import { turn } from '../../shared/runtime/turns.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { emojiOf } from '../../shared/text/emoji.ts';
import type { MessageOpener, OpenedMessage, Opening } from '../../webhooks/shared/message-opener.ts';
import type { ChatEvent, OpenFailure } from '../encryption/index.ts';
import type { Actor } from './actor.ts';
import type { DirectMessages } from './direct-messages.ts';
import { OpenConversation } from './open-conversation.ts';

/** The number of message ids that are remembered to detect replays. */
const maxRemembered = 20_000;

/** The maximum number of conversations that are read concurrently. Each may have megabytes of key changes. */
const readAtOnce = 4;

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

  async open(opening: Opening, events: readonly MessageEvent[]): Promise<(OpenedMessage | null)[]> {
    if (events.length === 0) return [];
    const { actor, session } = await this.#act(opening);
    try {
      const conversations = await this.#conversations(actor, session, events);
      const opened: (OpenedMessage | null)[] = [];
      for (const event of events) {
        await turn();
        opened.push(this.#openOne(opening.account, conversations, event));
      }
      for (const conversation of conversations.values()) conversation.wipe();
      return opened;
    } finally {
      actor.wipe();
    }
  }

  async #conversations(
    actor: Actor,
    session: PlatformSession,
    events: readonly MessageEvent[],
  ): Promise<Map<string, OpenConversation>> {
    const { messages } = session;
    const ids = [...new Set(events.map(({ message }) => message.conversationId))];
    const peers = await actor.known.peersOf(ids, messages, this.#parts.directMessages.now());
    const found = new Map<string, OpenConversation>();
    const open = async (id: string) => {
      const own = peers.get(id);
      const changes = await keyChangesOf(id, messages);
      if (own !== undefined && changes !== null) found.set(id, await OpenConversation.of(id, actor, own, changes));
    };
    for (let at = 0; at < ids.length; at += readAtOnce) await Promise.all(ids.slice(at, at + readAtOnce).map(open));
    return found;
  }

  #openOne(
    account: string,
    conversations: ReadonlyMap<string, OpenConversation>,
    { message }: MessageEvent,
  ): OpenedMessage | null {
    if (message.sealed === null) return unreadable('deleted');
    const opened = conversations.get(message.conversationId)?.open(message);
    if (!opened?.ok) return unreadable(opened?.reason ?? 'no_key');
    const { messageId, senderId, conversationId, seqId } = message;
    const name = `${account} ${conversationId} ${senderId} ${messageId}`;
    const first = this.#seen.get(name) ?? seqId;
    this.#seen.set(name, first);
    return first === seqId ? saying(opened.value) : null;
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
 * Returns the key changes of a conversation, or `null` if the conversation no longer exists. In that case its messages
 * stay encrypted, and other messages are still delivered.
 */
async function keyChangesOf(id: string, messages: PlatformMessages): Promise<readonly PlacedKeyChange[] | null> {
  try {
    return (await messages.conversation(id)).keyChanges;
  } catch (error) {
    if (error instanceof PosternError && error.code === 'not_found') return null;
    throw error;
  }
}

/**
 * Returns the form of a message that cannot be decrypted. `deleted` means that the platform no longer has the encrypted
 * content.
 */
function unreadable(reason: OpenFailure | 'deleted'): OpenedMessage {
  return { text: '', emoji: '', attachment: null, undecryptable: reason };
}

function saying(event: ChatEvent): OpenedMessage {
  const text = event.kind === 'message' || event.kind === 'edit' ? event.text : '';
  const emoji =
    event.kind === 'reactionAdded' || event.kind === 'reactionRemoved' ? (emojiOf(event.emoji) ?? event.emoji) : '';
  const [first] = event.kind === 'message' ? event.attachments : [];
  const attachment = first === undefined ? null : { type: first.type, filename: first.filename, size: first.size };
  return { text, emoji, attachment, undecryptable: null };
}
