import { z } from 'zod';
import { reaction as reactionSchema } from '../../shared/model/direct-message.ts';
import { type ActionName, platformAction } from '../action.ts';
import { aboutMessage, emoji, exampleConversation, exampleMessage, inConversation, targetMessage } from './fields.ts';

/** Declares an action that adds or removes a reaction. */
function reaction(name: ActionName, summary: string, added: boolean) {
  return platformAction({
    name,
    method: 'POST',
    summary,
    code: 'required',
    input: z.object({ conversation_id: inConversation, seq_id: targetMessage, emoji }),
    example: { conversation_id: exampleConversation, seq_id: exampleMessage, emoji: '❤️' },
    output: z.object({ ...aboutMessage, emoji: reactionSchema.shape.emoji }),
    async run({ messages }, { conversation_id, seq_id, emoji }) {
      await messages.react(conversation_id, seq_id, emoji, added);
      return { ok: true, conversation_id, target_seq_id: seq_id, emoji };
    },
  });
}

export const dmReact = reaction('dm/react', 'Add a reaction to a message', true);
export const dmUnreact = reaction('dm/unreact', 'Take a reaction back', false);
