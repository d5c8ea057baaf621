import type {
  PlacedEvent,
  PlacedKeyChange,
  PlacedMessage,
  RegisteredChatKeys,
  SealedEvent,
} from '../../shared/model/sealed-event.ts';
import { usualLimits } from '../http/answer.ts';
import { list, object, text, type Wire } from '../http/wire.ts';
import type {
  ConversationPage,
  PlatformMessages,
  SealedConversation,
  SealedMedia,
  SealedMessagePage,
} from '../messages-port.ts';
import type { PageRequest, PlatformCall } from '../port.ts';
import type { XClient, XRequest, XWrite } from '../x/client.ts';
import { named, others, write } from '../x/operations.ts';
import {
  eventLimits,
  readConversation,
  readConversationPage,
  readKeyChange,
  readMessagePage,
  readOneMessage,
  readPlaced,
  readPublicKeys,
} from './read-messages.ts';

const base = '/sandbox/chat/conversations';
const publicKeys = '/sandbox/chat/public-keys';
const sealed = ['message_id', 'detail', 'signature'] as const;
const keys = ['identity_public_key', 'signing_public_key', 'identity_signature', 'signing_signature'] as const;
const isBare = true;

const operations = named({
  chatConversations: others(base, null, {
    query: ['count', 'cursor_id', 'graph_snapshot_id', 'last_messages'],
    isBare,
  }),
  chatConversation: others(`${base}/{}`, null, { query: ['last_messages'], isBare }),
  chatMessages: others(`${base}/{}/messages`, null, { query: ['count', 'cursor'], isBare }),
  chatMessage: others(`${base}/{}/messages/{}`, null, { isBare }),
  chatPublicKeys: others(publicKeys, null, { query: ['user_ids'], isBare }),
  registerChatKeys: write('POST', publicKeys, null, { body: keys, isBare }),
  changeChatKey: write('POST', `${base}/{}/keys`, null, { body: [...sealed, 'version', 'previous_version'], isBare }),
  sendChatEvent: write('POST', `${base}/{}/events`, null, {
    body: [...sealed, 'kind', 'target_seq_id', 'for_all'],
    isBare,
  }),
  uploadChatMedia: write('POST', `${base}/{}/media`, null, { isBare }),
});

/** The limits of responses with lists that have no pages: key changes, participants, reactions and edits. */
const limits = usualLimits;

/** The messaging operations of the sandbox platform on behalf of one actor. */
export class SandboxMessages implements PlatformMessages {
  readonly #client: XClient;
  readonly #call: PlatformCall;

  constructor(client: XClient, call: PlatformCall) {
    this.#client = client;
    this.#call = call;
  }

  conversations({
    count,
    cursor,
    withLastMessages,
  }: Parameters<PlatformMessages['conversations']>[0]): Promise<ConversationPage> {
    const query = {
      count: String(count),
      ...(cursor && { cursor_id: cursor.cursorId, graph_snapshot_id: cursor.graphSnapshotId }),
      ...(withLastMessages && { last_messages: 'true' }),
    };
    const request = { operation: operations.chatConversations, query, limits: eventLimits(count) };
    return this.#get(request, (body) => readConversationPage(body, count));
  }

  conversation(id: string): Promise<SealedConversation> {
    const query = { last_messages: 'true' };
    return this.#get({ operation: operations.chatConversation, id, query, limits }, (body) =>
      readConversation(object(body.conversation, 'conversation')),
    );
  }

  messages(id: string, { count, cursor }: PageRequest): Promise<SealedMessagePage> {
    const query = { count: String(count), cursor };
    const request = { operation: operations.chatMessages, id, query, limits: eventLimits(count) };
    return this.#get(request, (body) => readMessagePage(body, count));
  }

  message(id: string, seqId: string): Promise<{ message: PlacedMessage; keyChanges: readonly PlacedKeyChange[] }> {
    return this.#get({ operation: operations.chatMessage, id, target: seqId, limits }, readOneMessage);
  }

  publicKeys(userIds: readonly string[]): Promise<RegisteredChatKeys[]> {
    const query = { user_ids: userIds.join(',') };
    return this.#get({ operation: operations.chatPublicKeys, query, limits }, (body) =>
      list(body.users, 'users').flatMap((item) => readPublicKeys(object(item, 'users[]'))),
    );
  }

  registerKeys(given: Omit<RegisteredChatKeys, 'userId' | 'publicKeyVersion'>): Promise<RegisteredChatKeys[]> {
    const body = {
      identity_public_key: given.publicKey,
      signing_public_key: given.signingPublicKey,
      identity_signature: given.identityPublicKeySignature,
      signing_signature: given.signingPublicKeySignature,
    };
    return this.#write({ operation: operations.registerChatKeys, ids: [], body }, readPublicKeys);
  }

  changeKey(change: SealedEvent, version: string, previousVersion: string | null): Promise<PlacedKeyChange> {
    const { conversationId } = change;
    const body = { ...bodyOf(change), version, previous_version: previousVersion };
    return this.#write({ operation: operations.changeChatKey, ids: [conversationId], body }, (answer) =>
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
    return this.#write({ operation: operations.sendChatEvent, ids: [conversationId], body }, (answer) =>
      readPlaced(object(answer.event, 'event'), conversationId),
    );
  }

  uploadMedia(conversationId: string, media: SealedMedia): Promise<string> {
    const bytes = { type: 'application/octet-stream', ...media };
    return this.#write({ operation: operations.uploadChatMedia, ids: [conversationId], bytes }, (body) =>
      text(body.media_hash_key, 'media_hash_key'),
    );
  }

  #get<Query extends string, T>(request: XRequest<Query, never>, read: (body: Wire) => T): Promise<T> {
    return this.#client.send(request, this.#call, ({ data }) => read(object(data, 'data')));
  }

  #write<Body extends string, T>(request: Omit<XWrite<Body>, 'subject'>, read: (body: Wire) => T): Promise<T> {
    return this.#client.write({ ...request, subject: null }, this.#call, read);
  }
}

function bodyOf({ messageId, detail, signature }: SealedEvent) {
  return { message_id: messageId, detail, signature };
}
