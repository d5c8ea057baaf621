import { placeEvent } from '../../messaging/encryption/index.ts';
import type { User } from '../dataset/types.ts';
import type { Conversation, ConversationEvent, ConversationKeyChange } from './conversation.ts';

/** Returns an event as participants receive it: the Thrift struct `MessageEvent` in base64. Without `isThere` its content is left out. */
export function encodedEvent(
  { id: conversationId }: Conversation,
  { seqId: sequenceId, sender, at: createdAtMs, sealed }: ConversationEvent | ConversationKeyChange,
  isThere = true,
): string {
  const { messageId, detail, signature } = sealed();
  const event = { messageId, senderId: sender.id, conversationId };
  return placeEvent(isThere ? { ...event, detail, signature } : event, { sequenceId, createdAtMs });
}

/** Builds the JSON form of an event. The content of an event that was deleted for the viewer is left out. */
export function eventForm(conversation: Conversation, event: ConversationEvent, viewer: User) {
  return {
    conversation_id: conversation.id,
    created_at: new Date(event.at).toISOString(),
    encoded_event: encodedEvent(conversation, event, !conversation.isDeletedFor(viewer, event)),
    id: event.seqId,
    sender_id: event.sender.id,
  };
}
