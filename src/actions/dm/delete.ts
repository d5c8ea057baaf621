import { z } from 'zod';
import { platformAction } from '../action.ts';
import { aboutMessage, exampleConversation, exampleMessage, inConversation, targetMessage } from './fields.ts';

export const dmDelete = platformAction({
  name: 'dm/delete',
  method: 'POST',
  summary: 'Delete a message for both users or for the actor only',
  destructive: true,
  code: 'required',
  input: z.object({
    conversation_id: inConversation,
    seq_id: targetMessage,
    for_all: z.boolean().optional().meta({
      description:
        "True deletes the message for both users, which is possible for the actor's own messages only. If left out, true for those and false for others.",
    }),
  }),
  example: { conversation_id: exampleConversation, seq_id: exampleMessage },
  output: z.object(aboutMessage),
  async run({ messages }, { conversation_id, seq_id, for_all }) {
    await messages.delete(conversation_id, seq_id, for_all);
    return { ok: true, conversation_id, target_seq_id: seq_id };
  },
});
