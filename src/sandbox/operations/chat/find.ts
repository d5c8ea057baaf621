import type { Conversation, Message } from '../../chat/conversation.ts';
import type { ActorCall } from '../../http/operation.ts';
import { notFound } from '../../refusal.ts';

/** Returns the conversation named in the path. Throws `not_found` if the actor is not a participant. */
export function ownConversation({ platform, params, actor }: ActorCall): Conversation {
  const id = params['id'] ?? '';
  const conversation = platform.dataset.chats.conversations.get(id);
  if (conversation === undefined || !conversation.has(actor) || conversation.keyChanges.length === 0) {
    throw notFound('conversation', id);
  }
  return conversation;
}

export function messageIn(conversation: Conversation, seqId: string): Message {
  const message = conversation.findMessage(seqId);
  if (message === undefined) throw notFound('message', seqId);
  return message;
}
