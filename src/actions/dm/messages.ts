import { z } from 'zod';
import { conversationId, directMessage } from '../../shared/model/direct-message.ts';
import { pageInput, pageOutput } from '../../shared/model/page.ts';
import { platformAction } from '../action.ts';
import { exampleConversation, inConversation } from './fields.ts';

export const dmMessages = platformAction({
  name: 'dm/messages',
  method: 'GET',
  summary: 'The messages of a conversation, newest first',
  description:
    'Edits and reactions are applied to each message. A message that cannot be decrypted is included; `undecryptable` has the reason.',
  paged: true,
  code: 'required',
  input: z.object({ conversation_id: inConversation, ...pageInput }),
  example: { conversation_id: exampleConversation, count: 2 },
  output: z.object({ conversation_id: conversationId, messages: z.array(directMessage), ...pageOutput }),
  async run({ messages }, { conversation_id, count, cursor = null }) {
    const page = await messages.messages(conversation_id, count, cursor);
    return { conversation_id, messages: page.messages, has_more: page.cursor !== null, next_cursor: page.cursor };
  },
});
