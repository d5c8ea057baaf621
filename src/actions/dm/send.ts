import { z } from 'zod';
import { conversationId, messageId, seqId } from '../../shared/model/direct-message.ts';
import { userId } from '../../shared/model/scalars.ts';
import { platformAction } from '../action.ts';
import { oneOf } from '../input/input.ts';
import { inConversation, messageText, ok, sentText } from './fields.ts';

export const dmSend = platformAction({
  name: 'dm/send',
  method: 'POST',
  summary: 'Send a message',
  description: 'With `user_id`, a conversation is started if there is none yet.',
  code: 'required',
  input: z
    .object({
      conversation_id: inConversation.optional(),
      user_id: userId.optional().meta({ description: "The platform's id of the user to write to." }),
      text: messageText,
    })
    .check(oneOf('conversation_id', 'user_id')),
  example: { user_id: '1989000000', text: 'Are the scones still warm?' },
  output: z.object({
    ok,
    message_id: messageId,
    seq_id: seqId,
    conversation_id: conversationId,
    text: sentText,
  }),
  async run({ messages }, { conversation_id = '', user_id, text }) {
    const to = user_id === undefined ? { conversationId: conversation_id } : { userId: user_id };
    const sent = await messages.send(to, text);
    return { ok: true, message_id: sent.messageId, seq_id: sent.seqId, conversation_id: sent.conversationId, text };
  },
});
