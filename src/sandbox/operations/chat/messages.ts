import type { Message } from '../../chat/conversation.ts';
import { keyChangeForm, messageForm } from '../../chat/render-chat.ts';
import { compareIds } from '../../dataset/snowflake.ts';
import { closedObject, jsonResponse, ref } from '../../http/contract.ts';
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
  contract: {
    summary: 'The messages of a conversation, newest first, each with its edits and reactions.',
    parameters: ['Count', { name: 'cursor', in: 'query', schema: { type: 'string' } }],
    responses: {
      200: jsonResponse(
        'A page, and all key changes of the conversation, oldest first.',
        closedObject({
          conversation_id: ref('ConversationId'),
          key_changes: { type: 'array', items: ref('KeyChange') },
          messages: { type: 'array', items: ref('ChatMessage') },
          next_cursor: { type: ['string', 'null'] },
        }),
      ),
    },
  },
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
  contract: {
    summary: 'One message. Problems: `not_found` 404 (resource `message`).',
    responses: {
      200: jsonResponse(
        'The message.',
        closedObject({
          conversation_id: ref('ConversationId'),
          key_changes: { type: 'array', items: ref('KeyChange') },
          message: ref('ChatMessage'),
        }),
      ),
    },
  },
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
