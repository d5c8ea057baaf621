import { z } from 'zod';
import { conversationId } from '../../shared/model/direct-message.ts';
import { numericId } from '../../shared/model/scalars.ts';

const wellFormed = (text: string) => text.isWellFormed();
const halfSurrogate = 'holds half of a surrogate pair';

/** Of one message. */
export const messageText = z
  .string()
  .min(1)
  .max(10_000, 'must be at most 10,000 characters')
  .refine(wellFormed, halfSurrogate)
  .meta({ description: 'Up to 10,000 characters.', examples: ['Are the scones still warm?'] });

export const inConversation = conversationId.meta({
  description: 'A conversation of the actor, `<user_id>:<user_id>`.',
});

export const targetMessage = numericId.meta({ description: '`seq_id` of the message.' });

/** One that Unicode recommends (UTS #51), or a pictograph without the selector that asks for its picture. */
const oneEmoji = /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic})$/v;

export const emoji = z
  .string()
  .min(1)
  .max(64, 'must be one emoji')
  .refine((text) => oneEmoji.test(text), 'must be one emoji')
  .meta({ description: 'One emoji.', examples: ['❤️'] });

/** What the changes of one message answer. */
export const aboutMessage = {
  ok: z.boolean(),
  conversation_id: conversationId,
  target_seq_id: numericId,
};

/** Examples name a conversation of the sandbox's dataset and a message in it. */
export const exampleConversation = '1089000000:1789000000';
export const exampleMessage = '1989000000000000000';
/** Of nobody: documents put the demo account's in its place. */
export const exampleCode = '739146';
