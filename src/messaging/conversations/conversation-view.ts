import type { ChatConversation } from '../../platform/messages-port.ts';
import type { ConversationView, DirectMessage } from '../../shared/model/direct-message.ts';

/**
 * Converts a conversation to the form of the API (docs/direct-messages.md, Shapes). The last message is included
 * if it is given.
 */
export function conversationView(conversation: ChatConversation, last?: DirectMessage): ConversationView {
  return {
    conversation_id: conversation.id,
    type: conversation.kind,
    is_muted: conversation.muted,
    has_more: conversation.hasMore,
    ...(last && {
      last_message: {
        text: last.text,
        sender_id: last.sender_id,
        from_me: last.from_me,
        seq_id: last.seq_id,
        createdAt: last.createdAt,
      },
    }),
    participant_count: conversation.participants.length,
    participants: conversation.participants,
  };
}
