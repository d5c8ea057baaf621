import { Readable } from 'node:stream';
import type { ChatConversation } from '../../platform/messages-port.ts';
import type { PlatformSession } from '../../platform/port.ts';
import { malformedField, missingField } from '../../shared/errors/fields.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { ConversationView } from '../../shared/model/direct-message.ts';
import type { TakenMedia } from '../../shared/model/taken-media.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import {
  type Content,
  canonicalConversationId,
  conversationIdOf,
  envelopeOf,
  type MediaType,
  Peers,
  participantsOf,
  sealContent,
  sealedSize,
  sealMedia,
  signDelete,
} from '../encryption/index.ts';
import type { ChatKeyService, KeyOwner } from '../key-recovery/chat-key-service.ts';
import type { RecoveredKeys } from '../key-recovery/recovered-keys.ts';
import { Actor } from './actor.ts';
import { beginConversation } from './begin-conversation.ts';
import { ConversationHistory } from './conversation-history.ts';
import { conversationView } from './conversation-view.ts';
import type { KnownConversations } from './known-conversations.ts';
import { OpenConversation } from './open-conversation.ts';
import { conversationNotFound, messageNotFound, notOwnMessage } from './refusals.ts';
import { deletionForm, messageForm } from './sealed-forms.ts';

/** The number of conversations that are read at once, and of the events in which the last message of each is looked for. */
const readAtOnce = 4;
const maxEventsOfLast = 50;

export interface MessagingSessionParts {
  chatKeys: ChatKeyService;
  runtime: Runtime;
  session: PlatformSession;
  who: KeyOwner;
  code: Secret | null;
  knownOf: (keys: RecoveredKeys) => KnownConversations;
}

/**
 * The recipient of a message: an existing conversation, or a user. If no conversation with the user exists, one is
 * created.
 */
export type Recipient = { conversationId: string } | { userId: string };

export interface Sent {
  messageId: string;
  seqId: string;
  conversationId: string;
}

export interface NewAttachment {
  media: TakenMedia;
  type: MediaType;
  filename: string;
  width: number | null;
  height: number | null;
}

/** Decrypts and encrypts the messages of one call. Without an encryption code, only conversations can be listed. */
export class MessagingSession {
  readonly #parts: MessagingSessionParts;

  constructor(parts: MessagingSessionParts) {
    this.#parts = parts;
  }

  /** Returns conversations, newest first. The last message of each is included if an encryption code was given. */
  async conversations(count: number, cursor: string | null) {
    const list = () => this.#messages.conversations({ count, cursor });
    if (this.#parts.code === null) {
      const { items, ...page } = await list();
      return { ...page, conversations: items.map((each) => conversationView(each)) };
    }
    return this.#act(async (actor) => {
      const { items, ...page } = await list();
      const ids = items.map(({ id }) => id);
      const peers = await actor.known.peersOf(ids, this.#messages, this.#parts.runtime.now());
      const conversations: ConversationView[] = [];
      const view = async (conversation: ChatConversation) => {
        const { id } = conversation;
        const open = new OpenConversation(id, actor, peers.get(id) ?? new Peers([]));
        try {
          const { messages, cursor } = await this.#history(actor, open).page(1, null, maxEventsOfLast);
          return conversationView({ ...conversation, hasMore: cursor !== null }, messages[0]);
        } catch (error) {
          // One conversation that cannot be read does not fail the page.
          if (!(error instanceof PosternError)) throw error;
          return conversationView(conversation);
        } finally {
          open.wipe();
        }
      };
      for (let at = 0; at < items.length; at += readAtOnce)
        conversations.push(...(await Promise.all(items.slice(at, at + readAtOnce).map(view))));
      return { ...page, conversations };
    });
  }

  /** Returns messages, newest first. */
  async messages(conversationId: string, count: number, cursor: string | null) {
    return this.#act((actor) =>
      this.#withOpen(actor, canonical(conversationId), (open) => this.#history(actor, open).page(count, cursor)),
    );
  }

  send(to: Recipient, text: string): Promise<Sent> {
    return this.#act((actor) =>
      this.#inConversation(actor, to, (open) => this.#say(actor, open, { kind: 'message', text, attachments: [] })),
    );
  }

  /** Sends an attachment to an existing conversation. */
  sendMedia(conversationId: string, text: string, attachment: NewAttachment): Promise<Sent & { mediaHashKey: string }> {
    return this.#act((actor) =>
      this.#inConversation(actor, { conversationId }, async (open) => {
        const { media, type, filename, width, height } = attachment;
        const { key } = open.latestKey();
        const mediaHashKey = await this.#messages.uploadMedia(open.id, {
          size: sealedSize(media.size),
          open: () => Readable.from(sealMedia(media.open(), key, this.#random), { objectMode: false }),
        });
        const size = { ...(width !== null && { width }), ...(height !== null && { height }) };
        const attachments = [{ mediaHashKey, type, filename, size: media.size, ...size }];
        const sent = await this.#say(actor, open, { kind: 'message', text, attachments });
        return { ...sent, mediaHashKey };
      }),
    );
  }

  /** Edits one of the actor's own messages. */
  edit(conversationId: string, targetSequenceId: string, text: string): Promise<Sent> {
    return this.#about(conversationId, targetSequenceId, (actor, open, { senderId, isDeleted }) => {
      if (senderId !== actor.self.userId) throw notOwnMessage(targetSequenceId);
      if (isDeleted) throw messageNotFound(targetSequenceId);
      return this.#say(actor, open, { kind: 'edit', targetSequenceId, text });
    });
  }

  react(conversationId: string, targetSequenceId: string, emoji: string, added: boolean): Promise<Sent> {
    const kind = added ? 'reactionAdded' : 'reactionRemoved';
    return this.#about(conversationId, targetSequenceId, (actor, open, { isDeleted }) => {
      if (isDeleted) throw messageNotFound(targetSequenceId);
      return this.#say(actor, open, { kind, targetSequenceId, emoji });
    });
  }

  /** Deletes a message. `forAll` is true by default for the actor's own messages, and false for others. */
  delete(conversationId: string, seqId: string, forAll: boolean | undefined): Promise<void> {
    return this.#about(conversationId, seqId, async (actor, open, { senderId }) => {
      const isOwn = senderId === actor.self.userId;
      if (forAll === true && !isOwn) throw notOwnMessage(seqId);
      const deletion = { sequenceIds: [seqId], forAll: forAll ?? isOwn };
      await this.#messages.delete(deletionForm(signDelete(actor.self, open.id, deletion, this.#random)));
    });
  }

  /** Creates the account's chat keys. Throws `conflict` if the account already has keys, unless they are to be replaced. */
  async enroll(isReplacing: boolean): Promise<void> {
    const { chatKeys, session, who } = this.#parts;
    await chatKeys.enroll(session, who, this.#code(), isReplacing);
  }

  get #messages() {
    return this.#parts.session.messages;
  }

  readonly #random = (length: number): Uint8Array => this.#parts.runtime.randomBytes(length);

  #code(): Secret {
    if (this.#parts.code === null) throw missingField('encryption_code');
    return this.#parts.code;
  }

  /** Runs `use` with the actor's private keys and wipes them afterwards. */
  async #act<T>(use: (actor: Actor) => Promise<T>): Promise<T> {
    const { chatKeys, session, who, runtime, knownOf } = this.#parts;
    const messages = this.#messages;
    const recovered = await chatKeys.recover(session, who, this.#code());
    const actor = await Actor.of(recovered, messages, knownOf(recovered), runtime.now());
    try {
      return await use(actor);
    } finally {
      actor.wipe();
    }
  }

  #history(actor: Actor, open: OpenConversation): ConversationHistory {
    return new ConversationHistory(open, { messages: this.#messages, actor, nowMs: this.#parts.runtime.now() });
  }

  /** Runs `use` on an existing conversation. */
  async #withOpen<T>(
    actor: Actor,
    id: string,
    use: (open: OpenConversation) => Promise<T>,
    keyChanges: readonly string[] = [],
  ): Promise<T> {
    const peers = (await actor.known.peersOf([id], this.#messages, this.#parts.runtime.now())).get(id);
    if (peers === undefined) throw conversationNotFound(id);
    const open = await OpenConversation.of(id, actor, peers, keyChanges);
    return use(open).finally(() => open.wipe());
  }

  /** Runs `use` on the conversation, which gets a new key first if the actor can open none of its keys. */
  async #withNewKey<T>(actor: Actor, open: OpenConversation, use: (open: OpenConversation) => Promise<T>): Promise<T> {
    const otherId = participantsOf(open.id)?.find((userId) => userId !== actor.self.userId);
    if (!open.needsNewKey || otherId === undefined) return use(open);
    const made = await beginConversation({ ...this.#parts, actor, id: open.id, otherId });
    return use(made).finally(() => made.wipe());
  }

  /** Runs `use` on the conversation. If `to` is a user, a missing conversation is created first. */
  async #inConversation<T>(actor: Actor, to: Recipient, use: (open: OpenConversation) => Promise<T>): Promise<T> {
    const own = actor.self.userId;
    if ('userId' in to && to.userId === own) throw malformedField('user_id', 'must be somebody else');
    const id = 'userId' in to ? conversationIdOf(own, to.userId) : canonical(to.conversationId);
    const nowMs = this.#parts.runtime.now();
    const keyChanges = await actor.known.keyChangesOf(id, this.#messages, nowMs).catch((error: unknown) => {
      if ('userId' in to && error instanceof PosternError && error.code === 'not_found') return [];
      throw error;
    });
    if (keyChanges.length > 0 || !('userId' in to)) {
      return this.#withOpen(actor, id, (open) => this.#withNewKey(actor, open, use), keyChanges);
    }
    const open = await beginConversation({ ...this.#parts, actor, id, otherId: to.userId });
    return use(open).finally(() => open.wipe());
  }

  /** Runs `use` on a conversation and one of its messages. */
  #about<T>(
    conversationId: string,
    seqId: string,
    use: (actor: Actor, open: OpenConversation, message: { senderId: string; isDeleted: boolean }) => Promise<T>,
  ): Promise<T> {
    return this.#act((actor) =>
      this.#withOpen(actor, canonical(conversationId), async (open) => {
        const message = await this.#history(actor, open).find(seqId);
        return this.#withNewKey(actor, open, (writable) => use(actor, writable, message));
      }),
    );
  }

  async #say(actor: Actor, open: OpenConversation, content: Content): Promise<Sent> {
    const signed = sealContent(actor.self, open.id, open.latestKey(), content, this.#random);
    const envelope = envelopeOf(await this.#messages.send(messageForm(signed)));
    if (envelope === undefined) throw new PosternError('platform_unreadable', 'The sent event is malformed');
    return { messageId: envelope.messageId, seqId: envelope.sequenceId, conversationId: open.id };
  }
}

/** Returns the canonical form of an id. Another id than that of two users stays as it is, and is not found. */
function canonical(conversationId: string): string {
  return canonicalConversationId(conversationId) ?? conversationId;
}
