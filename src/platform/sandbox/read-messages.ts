import type { Participant } from '../../shared/model/direct-message.ts';
import type {
  PlacedEvent,
  PlacedKeyChange,
  PlacedMessage,
  RegisteredChatKeys,
  SealedKind,
} from '../../shared/model/sealed-event.ts';
import type { ConversationPage, GraphCursor, SealedConversation, SealedMessagePage } from '../messages-port.ts';
import { asWire, flag, id, isoTime, list, NonsenseError, nullable, object, text, type Wire } from './wire.ts';

export function readConversationPage(body: Wire): ConversationPage {
  return {
    viewerId: id(body, 'viewer_id'),
    hasMessageRequests: flag(body, 'has_message_requests'),
    conversations: list(body, 'conversations').map((item) => readConversation(asWire(item, 'conversations[]'))),
    cursor: readCursor(nullable(object, body, 'next_cursor')),
  };
}

function readCursor(cursor: Wire | null): GraphCursor | null {
  return cursor && { cursorId: text(cursor, 'cursor_id'), graphSnapshotId: text(cursor, 'graph_snapshot_id') };
}

export function readConversation(conversation: Wire): SealedConversation {
  const conversationId = text(conversation, 'id');
  const last = nullable(object, conversation, 'last_message');
  return {
    id: conversationId,
    kind: text(conversation, 'kind'),
    muted: flag(conversation, 'muted'),
    hasMore: flag(conversation, 'has_more'),
    participants: list(conversation, 'participants').map((item) => readParticipant(asWire(item, 'participants[]'))),
    keyChanges: readKeyChanges(conversation, conversationId),
    lastMessage: last && readMessage(last, conversationId),
  };
}

function readParticipant(participant: Wire): Participant {
  const user = object(participant, 'user');
  const verification = object(user, 'verification');
  return {
    type: 'user',
    id: id(user, 'id'),
    userName: text(user, 'screen_name'),
    name: text(user, 'name'),
    url: nullable(text, user, 'website'),
    profilePicture: nullable(text, user, 'avatar_url'),
    isVerified: flag(verification, 'verified'),
    isBlueVerified: flag(verification, 'premium'),
    canDm: flag(object(user, 'viewer'), 'can_dm'),
    hasPublicKey: flag(participant, 'has_public_key'),
    createdAt: isoTime(user, 'created_at'),
  };
}

export function readMessagePage(body: Wire): SealedMessagePage {
  const conversationId = text(body, 'conversation_id');
  return {
    items: list(body, 'messages').map((item) => readMessage(asWire(item, 'messages[]'), conversationId)),
    keyChanges: readKeyChanges(body, conversationId),
    cursor: nullable(text, body, 'next_cursor'),
  };
}

export function readOneMessage(body: Wire) {
  const conversationId = text(body, 'conversation_id');
  return {
    message: readMessage(object(body, 'message'), conversationId),
    keyChanges: readKeyChanges(body, conversationId),
  };
}

function readMessage(message: Wire, conversationId: string): PlacedMessage {
  const deleted = nullable(text, message, 'deleted');
  if (deleted !== null && deleted !== 'all' && deleted !== 'self') throw new NonsenseError('deleted is not a side');
  return {
    ...readPlaced(message, conversationId),
    deleted,
    about: list(message, 'about').map((item) => readPlaced(asWire(item, 'about[]'), conversationId)),
  };
}

const kinds: readonly SealedKind[] = ['message', 'edit', 'reaction_added', 'reaction_removed', 'deletion'];

export function readPlaced(event: Wire, conversationId: string): PlacedEvent {
  const kind = kinds.find((known) => known === event['kind']);
  if (kind === undefined) throw new NonsenseError('kind is not one of an event');
  return { ...readPlace(event, conversationId), kind, targetSeqId: nullable(id, event, 'target_seq_id') };
}

function readPlace(event: Wire, conversationId: string) {
  const [messageId, senderId] = [text(event, 'message_id'), id(event, 'sender_id')];
  const detail = nullable(text, event, 'detail');
  return {
    seqId: id(event, 'seq_id'),
    ...{ messageId, senderId, conversationId },
    createdAt: isoTime(event, 'created_at'),
    sealed:
      detail === null ? null : { messageId, senderId, conversationId, detail, signature: text(event, 'signature') },
  };
}

function readKeyChanges(body: Wire, conversationId: string): PlacedKeyChange[] {
  return list(body, 'key_changes').map((item) => readKeyChange(asWire(item, 'key_changes[]'), conversationId));
}

export function readKeyChange(change: Wire, conversationId: string): PlacedKeyChange {
  const version = text(change, 'version');
  if (!/^\d{1,20}$/.test(version)) throw new NonsenseError('version is not a number');
  return { ...readPlace(change, conversationId), kind: 'key_change', targetSeqId: null, version };
}

export function readPublicKeys(body: Wire): RegisteredChatKeys[] {
  const userId = id(body, 'user_id');
  return list(body, 'keys').map((item) => {
    const keys = asWire(item, 'keys[]');
    return {
      userId,
      publicKeyVersion: text(keys, 'version'),
      publicKey: text(keys, 'identity_public_key'),
      signingPublicKey: text(keys, 'signing_public_key'),
      identityPublicKeySignature: text(keys, 'identity_signature'),
      signingPublicKeySignature: text(keys, 'signing_signature'),
    };
  });
}
