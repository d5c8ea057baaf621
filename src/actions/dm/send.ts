import { z } from 'zod';
import { conversationId } from '../../shared/model/direct-message.ts';
import { numericId } from '../../shared/model/scalars.ts';
import { flatPrice, platformAction } from '../action.ts';
import { oneOf } from '../input/input.ts';
import { inConversation, messageText } from './fields.ts';

export const dmSend = platformAction({
  name: 'dm/send',
  method: 'POST',
  path: '/dm/send',
  summary: 'Send a message',
  description: 'With `user_id` a conversation is begun where there is none: its key is sealed for both sides.',
  price: flatPrice,
  effect: 'once',
  code: 'required',
  input: z
    .object({
      conversation_id: inConversation.optional(),
      user_id: numericId.optional().meta({ description: 'Instead: whom to write to.' }),
      text: messageText,
    })
    .check(oneOf('conversation_id', 'user_id')),
  example: { user_id: '1989000000', text: 'Are the scones still warm?' },
  output: z.object({
    ok: z.boolean(),
    message_id: z.string(),
    seq_id: numericId,
    conversation_id: conversationId,
    text: z.string(),
  }),
  async run({ messages }, { conversation_id = '', user_id, text }) {
    const to = user_id === undefined ? { conversationId: conversation_id } : { userId: user_id };
    const { messageId, seqId, conversationId } = await messages.send(to, text);
    return { ok: true, message_id: messageId, seq_id: seqId, conversation_id: conversationId, text };
  },
});
