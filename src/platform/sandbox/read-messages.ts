import type { Participant } from '../../shared/model/direct-message.ts';
import type {
  PlacedEvent,
  PlacedKeyChange,
  PlacedMessage,
  RegisteredChatKeys,
  SealedKind,
} from '../../shared/model/sealed-event.ts';
import { pageLimits } from '../http/answer.ts';
import { flag, InvalidResponseError, id, list, nullable, object, readIsoTime, text, type Wire } from '../http/wire.ts';
import type { ConversationPage, GraphCursor, SealedConversation, SealedMessagePage } from '../messages-port.ts';

/** Returns the limits of a page of encrypted events. */
export const eventLimits = (count: number) => pageLimits(count, 128 * 1024);

/** The platform allows message ids of 64 characters and encrypted events of 131,072. */
const maxIdLength = 64;
const maxDetailLength = 131_072;
/** A signature has 64 bytes, in base64. */
const maxSignatureLength = 1_024;
/** The maximum length of a public key or its signature: 91 bytes, in base64. They are cached. */
const maxKeyLength = 128;
/** The maximum number of the keys of a user that are read. The oldest are left out. */
const maxKeys = 32;

/** More than the participants of any conversation. */
const maxParticipants = 1_000;
/**
 * The maximum number of edits and reactions of a message, and of key changes of a conversation, that are read. Each is
 * verified and decrypted on the event loop. The oldest are left out.
 */
const maxEvents = 100;

export function readConversationPage(body: Wire, count: number): ConversationPage {
  return {
    viewerId: id(body.viewer_id, 'viewer_id'),
    hasMessageRequests: flag(body.has_message_requests, 'has_message_requests'),
    conversations: list(body.conversations, 'conversations')
      .slice(0, count)
      .map((item) => readConversation(object(item, 'conversations[]'))),
    cursor: readCursor(nullable(object, body.next_cursor, 'next_cursor')),
  };
}

function readCursor(cursor: Wire | null): GraphCursor | null {
  return (
    cursor && {
      cursorId: text(cursor.cursor_id, 'cursor_id'),
      graphSnapshotId: text(cursor.graph_snapshot_id, 'graph_snapshot_id'),
    }
  );
}

export function readConversation(conversation: Wire): SealedConversation {
  const conversationId = text(conversation.id, 'id', maxIdLength);
  const last = nullable(object, conversation.last_message, 'last_message');
  return {
    id: conversationId,
    kind: text(conversation.kind, 'kind'),
    muted: flag(conversation.muted, 'muted'),
    hasMore: flag(conversation.has_more, 'has_more'),
    participants: list(conversation.participants, 'participants', maxParticipants).map((item) =>
      readParticipant(object(item, 'participants[]')),
    ),
    keyChanges: readKeyChanges(conversation, conversationId),
    lastMessage: last && readMessage(last, conversationId),
  };
}

function readParticipant(participant: Wire): Participant {
  const user = object(participant.user, 'user');
  const verification = object(user.verification, 'verification');
  return {
    type: 'user',
    id: id(user.id, 'id'),
    userName: text(user.screen_name, 'screen_name'),
    name: text(user.name, 'name'),
    url: nullable(text, user.website, 'website'),
    profilePicture: nullable(text, user.avatar_url, 'avatar_url'),
    isVerified: flag(verification.verified, 'verified'),
    isBlueVerified: flag(verification.premium, 'premium'),
    canDm: flag(object(user.viewer, 'viewer').can_dm, 'can_dm'),
    hasPublicKey: flag(participant.has_public_key, 'has_public_key'),
    createdAt: readIsoTime(user.created_at, 'created_at'),
  };
}

export function readMessagePage(body: Wire, count: number): SealedMessagePage {
  const conversationId = text(body.conversation_id, 'conversation_id');
  return {
    items: list(body.messages, 'messages')
      .slice(0, count)
      .map((item) => readMessage(object(item, 'messages[]'), conversationId)),
    keyChanges: readKeyChanges(body, conversationId),
    cursor: nullable(text, body.next_cursor, 'next_cursor'),
  };
}

export function readOneMessage(body: Wire) {
  const conversationId = text(body.conversation_id, 'conversation_id');
  return {
    message: readMessage(object(body.message, 'message'), conversationId),
    keyChanges: readKeyChanges(body, conversationId),
  };
}

function readMessage(message: Wire, conversationId: string): PlacedMessage {
  const deleted = nullable(text, message.deleted, 'deleted');
  if (deleted !== null && deleted !== 'all' && deleted !== 'self')
    throw new InvalidResponseError('deleted is not a side');
  return {
    ...readPlaced(message, conversationId),
    deleted,
    about: newest(list(message.about, 'about')).map((item) => readPlaced(object(item, 'about[]'), conversationId)),
  };
}

const kinds: readonly SealedKind[] = ['message', 'edit', 'reaction_added', 'reaction_removed', 'deletion'];

export function readPlaced(event: Wire, conversationId: string): PlacedEvent {
  const kind = kinds.find((known) => known === event['kind']);
  if (kind === undefined) throw new InvalidResponseError('kind is not one of an event');
  return { ...readPlace(event, conversationId), kind, targetSeqId: nullable(id, event.target_seq_id, 'target_seq_id') };
}

function readPlace(event: Wire, conversationId: string) {
  const messageId = text(event.message_id, 'message_id', maxIdLength);
  const senderId = id(event.sender_id, 'sender_id');
  const detail = nullable((value, field) => text(value, field, maxDetailLength), event.detail, 'detail');
  return {
    seqId: id(event.seq_id, 'seq_id'),
    messageId,
    senderId,
    conversationId,
    createdAt: readIsoTime(event.created_at, 'created_at'),
    sealed:
      detail === null
        ? null
        : {
            messageId,
            senderId,
            conversationId,
            detail,
            signature: text(event.signature, 'signature', maxSignatureLength),
          },
  };
}

function readKeyChanges(body: Wire, conversationId: string): PlacedKeyChange[] {
  return newest(list(body.key_changes, 'key_changes')).map((item) =>
    readKeyChange(object(item, 'key_changes[]'), conversationId),
  );
}

function newest(items: readonly unknown[], max = maxEvents): readonly unknown[] {
  return items.slice(-max);
}

export function readKeyChange(change: Wire, conversationId: string): PlacedKeyChange {
  const version = text(change.version, 'version');
  if (!/^\d{1,20}$/.test(version)) throw new InvalidResponseError('version is not a number');
  return { ...readPlace(change, conversationId), kind: 'key_change', targetSeqId: null, version };
}

export function readPublicKeys(body: Wire): RegisteredChatKeys[] {
  const userId = id(body.user_id, 'user_id');
  return newest(list(body.keys, 'keys'), maxKeys).map((item) => {
    const keys = object(item, 'keys[]');
    const key = (value: unknown, field: string) => text(value, field, maxKeyLength);
    return {
      userId,
      publicKeyVersion: key(keys.version, 'version'),
      publicKey: key(keys.identity_public_key, 'identity_public_key'),
      signingPublicKey: key(keys.signing_public_key, 'signing_public_key'),
      identityPublicKeySignature: key(keys.identity_signature, 'identity_signature'),
      signingPublicKeySignature: key(keys.signing_signature, 'signing_signature'),
    };
  });
}
