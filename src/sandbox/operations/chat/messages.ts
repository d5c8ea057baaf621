import type { Message } from '../../chat/conversation.ts';
import { keyChangeForm, messageForm } from '../../chat/render-chat.ts';
import { compareIds } from '../../dataset/snowflake.ts';
import type { ActorOperation } from '../../http/operation.ts';
import { pagingOf, takePage } from '../../http/paged.ts';
import { json } from '../../http/response.ts';
import { messageIn, ownConversation } from './find.ts';

/** The messages of a conversation, newest first. Each message includes its later edits, reactions and deletions. */
export const chatMessages: ActorOperation = {
  id: 'chatMessages',
  method: 'GET',
  path: '/sandbox/chat/conversations/{id}/messages',
  access: 'actor',
  handle(call) {
    const conversation = ownConversation(call);
    const paging = pagingOf(call, 'chat messages', conversation.id);
    const page = takePage(newestFirst(conversation.messages, paging.after), paging.count, () => true);
    return json({
      conversation_id: conversation.id,
      key_changes: conversation.keyChanges.map(keyChangeForm),
      messages: page.items.map((message) => messageForm(message, call.actor)),
      next_cursor: paging.seal(page.next),
    });
  },
};

export const chatMessage: ActorOperation = {
  id: 'chatMessage',
  method: 'GET',
  path: '/sandbox/chat/conversations/{id}/messages/{seq_id}',
  access: 'actor',
  handle(call) {
    const conversation = ownConversation(call);
    const message = messageIn(conversation, call.params['seq_id'] ?? '');
    return json({
      conversation_id: conversation.id,
      key_changes: conversation.keyChanges.map(keyChangeForm),
      message: messageForm(message, call.actor),
    });
  },
};

function* newestFirst(messages: readonly Message[], before: string | undefined): Generator<readonly [Message, string]> {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message === undefined || (before !== undefined && compareIds(message.event.seqId, before) >= 0)) continue;
    yield [message, message.event.seqId];
  }
}
