import type { GraphCursor } from '../../platform/messages-port.ts';
import type { PlatformSession } from '../../platform/port.ts';
import { malformedField, missingField } from '../../shared/errors/fields.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { ConversationView, DirectMessage } from '../../shared/model/direct-message.ts';
import type { PlacedEvent, PlacedKeyChange, SealedKind } from '../../shared/model/sealed-event.ts';
import type { TakenMedia } from '../../shared/model/taken-media.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { turn } from '../../shared/runtime/turns.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import {
  type Content,
  conversationIdOf,
  type MediaType,
  type SignedEvent,
  sealContent,
  signDelete,
} from '../encryption/index.ts';
import type { ChatKeyService, KeyOwner } from '../key-recovery/chat-key-service.ts';
import type { RecoveredKeys } from '../key-recovery/recovered-keys.ts';
import { Actor } from './actor.ts';
import { beginConversation } from './begin-conversation.ts';
import { conversationView } from './conversation-view.ts';
import type { KnownConversations } from './known-conversations.ts';
import { OpenConversation } from './open-conversation.ts';
import { readMessage, withoutReplays } from './read-message.ts';
import { conversationNotFound, notOwnMessage } from './refusals.ts';
import { sealedMedia } from './sealed-media.ts';

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
  async conversations(count: number, cursor: GraphCursor | null) {
    const withLastMessages = this.#parts.code !== null;
    const list = () => this.#messages.conversations({ count, cursor, withLastMessages });
    if (!withLastMessages) {
      const page = await list();
      return { ...page, conversations: page.conversations.map((each) => conversationView(each)) };
    }
    return this.#act(async (actor) => {
      const page = await list();
      const ids = page.conversations.map(({ id }) => id);
      const peers = await actor.known.peersOf(ids, this.#messages, this.#parts.runtime.now());
      const conversations: ConversationView[] = [];
      for (const conversation of page.conversations) {
        await turn();
        const { id, lastMessage, keyChanges } = conversation;
        const own = peers.get(id);
        if (lastMessage === null || own === undefined) {
          conversations.push(conversationView(conversation));
          continue;
        }
        const open = await OpenConversation.of(id, actor, own, keyChanges);
        conversations.push(conversationView(conversation, await readMessage(open, lastMessage, actor.self.userId)));
        open.wipe();
      }
      return { ...page, conversations };
    });
  }

  /** Returns messages, newest first. */
  async messages(conversationId: string, count: number, cursor: string | null) {
    return this.#act(async (actor) => {
      const page = await this.#messages.messages(conversationId, { count, cursor });
      const open = await this.#open(actor, conversationId, page.keyChanges);
      try {
        const messages: DirectMessage[] = [];
        for (const message of page.items) {
          await turn();
          messages.push(await readMessage(open, message, actor.self.userId));
        }
        return { messages: withoutReplays(messages), cursor: page.cursor };
      } finally {
        open.wipe();
      }
    });
  }

  send(to: Recipient, text: string): Promise<Sent> {
    return this.#act((actor) =>
      this.#inConversation(actor, to, (open) =>
        this.#say(actor, open, { kind: 'message', text, attachments: [] }, 'message', null),
      ),
    );
  }

  /** Sends an attachment to an existing conversation. */
  sendMedia(conversationId: string, text: string, attachment: NewAttachment): Promise<Sent & { mediaHashKey: string }> {
    return this.#act((actor) =>
      this.#inConversation(actor, { conversationId }, async (open) => {
        const { media, type, filename, width, height } = attachment;
        const sealing = sealedMedia(media, open.latestKey().key, this.#parts.runtime);
        const mediaHashKey = await this.#messages.uploadMedia(conversationId, sealing.media);
        if (mediaHashKey !== sealing.hashKey()) {
          throw new PosternError('platform_unreadable', 'The platform changed the encrypted attachment');
        }
        const size = { ...(width !== null && { width }), ...(height !== null && { height }) };
        const attachments = [{ mediaHashKey, type, filename, size: media.size, ...size }];
        const sent = await this.#say(actor, open, { kind: 'message', text, attachments }, 'message', null);
        return { ...sent, mediaHashKey };
      }),
    );
  }

  /** Edits one of the actor's own messages. */
  edit(conversationId: string, targetSequenceId: string, text: string): Promise<Sent> {
    return this.#about(conversationId, targetSequenceId, async (actor, open, message) => {
      if (message.senderId !== actor.self.userId) throw notOwnMessage(targetSequenceId);
      return this.#say(actor, open, { kind: 'edit', targetSequenceId, text }, 'edit', targetSequenceId);
    });
  }

  react(conversationId: string, targetSequenceId: string, emoji: string, added: boolean): Promise<Sent> {
    const [kind, name] = added
      ? (['reactionAdded', 'reaction_added'] as const)
      : (['reactionRemoved', 'reaction_removed'] as const);
    return this.#about(conversationId, targetSequenceId, (actor, open) =>
      this.#say(actor, open, { kind, targetSequenceId, emoji }, name, targetSequenceId),
    );
  }

  /** Deletes a message. `forAll` is true by default for the actor's own messages, and false for others. */
  delete(conversationId: string, seqId: string, forAll: boolean | undefined): Promise<Sent> {
    return this.#about(conversationId, seqId, (actor, _open, message) => {
      const isOwn = message.senderId === actor.self.userId;
      if (forAll === true && !isOwn) throw notOwnMessage(seqId);
      const deletion = { sequenceIds: [seqId], forAll: forAll ?? isOwn };
      const signed = signDelete(actor.self, conversationId, deletion, this.#random);
      return this.#post(signed, 'deletion', seqId, deletion.forAll);
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

  async #open(actor: Actor, id: string, keyChanges: readonly PlacedKeyChange[]): Promise<OpenConversation> {
    const peers = (await actor.known.peersOf([id], this.#messages, this.#parts.runtime.now())).get(id);
    if (peers === undefined) throw conversationNotFound(id);
    return OpenConversation.of(id, actor, peers, keyChanges);
  }

  /** Runs `use` on the conversation. If `to` is a user, a missing conversation is created first. */
  async #inConversation<T>(actor: Actor, to: Recipient, use: (open: OpenConversation) => Promise<T>): Promise<T> {
    const own = actor.self.userId;
    if ('userId' in to && to.userId === own) throw malformedField('user_id', 'must be somebody else');
    const id = 'userId' in to ? conversationIdOf(own, to.userId) : to.conversationId;
    const found = await this.#messages.conversation(id).catch((error: unknown) => {
      if ('userId' in to && error instanceof PosternError && error.code === 'not_found') return null;
      throw error;
    });
    const open =
      found === null && 'userId' in to
        ? await beginConversation({ ...this.#parts, actor, id, otherId: to.userId })
        : await this.#open(actor, id, found?.keyChanges ?? []);
    try {
      return await use(open);
    } finally {
      open.wipe();
    }
  }

  #about(
    conversationId: string,
    seqId: string,
    use: (actor: Actor, open: OpenConversation, message: PlacedEvent) => Promise<Sent>,
  ): Promise<Sent> {
    return this.#act(async (actor) => {
      const { message, keyChanges } = await this.#messages.message(conversationId, seqId);
      const open = await this.#open(actor, conversationId, keyChanges);
      try {
        return await use(actor, open, message);
      } finally {
        open.wipe();
      }
    });
  }

  #say(
    actor: Actor,
    open: OpenConversation,
    content: Content,
    kind: Exclude<SealedKind, 'key_change'>,
    target: string | null,
  ): Promise<Sent> {
    const signed = sealContent(actor.self, open.id, open.latestKey(), content, this.#random);
    return this.#post(signed, kind, target, false);
  }

  async #post(
    signed: SignedEvent,
    kind: Exclude<SealedKind, 'key_change'>,
    targetSeqId: string | null,
    forAll: boolean,
  ): Promise<Sent> {
    const { messageId, seqId, conversationId } = await this.#messages.send(signed, { kind, targetSeqId, forAll });
    return { messageId, seqId, conversationId };
  }
}
