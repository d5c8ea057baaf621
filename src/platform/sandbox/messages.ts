import type {
  PlacedEvent,
  PlacedKeyChange,
  PlacedMessage,
  RegisteredChatKeys,
  SealedEvent,
} from '../../shared/model/sealed-event.ts';
import { usualLimits } from '../http/answer.ts';
import { list, object, text } from '../http/wire.ts';
import type {
  ConversationPage,
  PlatformMessages,
  SealedConversation,
  SealedMedia,
  SealedMessagePage,
} from '../messages-port.ts';
import type { PageRequest, PlatformCall } from '../port.ts';
import type { SandboxClient } from './client.ts';
import { withPage } from './paths.ts';
import {
  readConversation,
  readConversationPage,
  readKeyChange,
  readMessagePage,
  readOneMessage,
  readPlaced,
  readPublicKeys,
} from './read-messages.ts';

const base = '/api/chat/conversations';

/** The limits of responses with lists that have no pages: key changes, participants, reactions and edits. */
const limits = usualLimits;

/** The messaging operations of the sandbox platform on behalf of one actor. */
export class SandboxMessages implements PlatformMessages {
  readonly #client: SandboxClient;
  readonly #call: PlatformCall;

  constructor(client: SandboxClient, call: PlatformCall) {
    this.#client = client;
    this.#call = call;
  }

  conversations({
    count,
    cursor,
    withLastMessages,
  }: Parameters<PlatformMessages['conversations']>[0]): Promise<ConversationPage> {
    const more = {
      ...(cursor && { cursor_id: cursor.cursorId, graph_snapshot_id: cursor.graphSnapshotId }),
      ...(withLastMessages && { last_messages: 'true' }),
    };
    const asked = withPage(base, { count, cursor: null }, more);
    return this.#client.send(
      { operation: 'chatConversations', method: 'GET', ...asked },
      this.#call,
      readConversationPage,
    );
  }

  conversation(id: string): Promise<SealedConversation> {
    const path = `${base}/${id}?last_messages=true`;
    return this.#client.send({ operation: 'chatConversation', method: 'GET', path, limits }, this.#call, (body) =>
      readConversation(object(body.conversation, 'conversation')),
    );
  }

  messages(id: string, page: PageRequest): Promise<SealedMessagePage> {
    const asked = withPage(`${base}/${id}/messages`, page);
    return this.#client.send({ operation: 'chatMessages', method: 'GET', ...asked }, this.#call, readMessagePage);
  }

  message(id: string, seqId: string): Promise<{ message: PlacedMessage; keyChanges: readonly PlacedKeyChange[] }> {
    const path = `${base}/${id}/messages/${seqId}`;
    return this.#client.send({ operation: 'chatMessage', method: 'GET', path, limits }, this.#call, readOneMessage);
  }

  publicKeys(userIds: readonly string[]): Promise<RegisteredChatKeys[]> {
    const path = `/api/chat/public-keys?user_ids=${userIds.join(',')}`;
    return this.#client.send({ operation: 'chatPublicKeys', method: 'GET', path, limits }, this.#call, (body) =>
      list(body.users, 'users').flatMap((item) => readPublicKeys(object(item, 'users[]'))),
    );
  }

  registerKeys(keys: Omit<RegisteredChatKeys, 'userId' | 'publicKeyVersion'>): Promise<RegisteredChatKeys[]> {
    const body = {
      identity_public_key: keys.publicKey,
      signing_public_key: keys.signingPublicKey,
      identity_signature: keys.identityPublicKeySignature,
      signing_signature: keys.signingPublicKeySignature,
    };
    const request = { operation: 'registerChatKeys', method: 'POST', path: '/api/chat/public-keys', body } as const;
    return this.#client.send(request, this.#call, readPublicKeys);
  }

  changeKey(change: SealedEvent, version: string, previousVersion: string | null): Promise<PlacedKeyChange> {
    const { conversationId } = change;
    const body = { ...bodyOf(change), version, previous_version: previousVersion };
    const path = `${base}/${conversationId}/keys`;
    return this.#client.send({ operation: 'changeChatKey', method: 'POST', path, body }, this.#call, (answer) =>
      readKeyChange(object(answer.key_change, 'key_change'), conversationId),
    );
  }

  send(
    event: SealedEvent,
    { kind, targetSeqId, forAll }: Parameters<PlatformMessages['send']>[1],
  ): Promise<PlacedEvent> {
    const { conversationId } = event;
    const body = {
      ...bodyOf(event),
      kind,
      ...(targetSeqId !== null && { target_seq_id: targetSeqId }),
      ...(forAll && { for_all: true }),
    };
    const path = `${base}/${conversationId}/events`;
    return this.#client.send({ operation: 'sendChatEvent', method: 'POST', path, body }, this.#call, (answer) =>
      readPlaced(object(answer.event, 'event'), conversationId),
    );
  }

  uploadMedia(conversationId: string, media: SealedMedia): Promise<string> {
    const bytes = { type: 'application/octet-stream', ...media };
    const path = `${base}/${conversationId}/media`;
    return this.#client.send({ operation: 'uploadChatMedia', method: 'POST', path, bytes }, this.#call, (body) =>
      text(body.media_hash_key, 'media_hash_key'),
    );
  }
}

function bodyOf({ messageId, detail, signature }: SealedEvent) {
  return { message_id: messageId, detail, signature };
}
