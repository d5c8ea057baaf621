import { z } from 'zod';
import { messageId } from '../../shared/model/direct-message.ts';
import { platformAction } from '../action.ts';
import {
  aboutMessage,
  exampleConversation,
  exampleMessage,
  inConversation,
  messageText,
  sentText,
  targetMessage,
} from './fields.ts';

export const dmEdit = platformAction({
  name: 'dm/edit',
  method: 'POST',
  summary: "Change the text of one of the actor's own messages",
  destructive: true,
  code: 'required',
  input: z.object({ conversation_id: inConversation, seq_id: targetMessage, text: messageText }),
  example: { conversation_id: exampleConversation, seq_id: exampleMessage, text: 'Are the scones still hot?' },
  output: z.object({ ...aboutMessage, message_id: messageId, text: sentText }),
  async run({ messages }, { conversation_id, seq_id, text }) {
    const { messageId } = await messages.edit(conversation_id, seq_id, text);
    return { ok: true, message_id: messageId, conversation_id, target_seq_id: seq_id, text };
  },
});
