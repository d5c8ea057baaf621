import { z } from 'zod';
import { conversationId, seqId } from '../../shared/model/direct-message.ts';
import { emojiOf } from '../../shared/text/emoji.ts';

const wellFormed = (text: string) => text.isWellFormed();
const halfSurrogate = 'holds half of a surrogate pair';

/** The text of one message. */
export const messageText = z
  .string()
  .min(1)
  .max(10_000, 'must be at most 10,000 characters')
  .refine(wellFormed, halfSurrogate)
  .meta({ description: 'Text of the message, up to 10,000 characters.', examples: ['Are the scones still warm?'] });

export const inConversation = conversationId.meta({
  description: 'Id of a conversation of the actor, such as `1089000000:1789000000`.',
});

export const targetMessage = seqId.meta({ description: '`seq_id` of the message.' });

export const emoji = z
  .string()
  .min(1)
  .max(64, { error: 'must be one emoji', abort: true })
  .refine((text) => emojiOf(text) !== null, 'must be one emoji')
  .overwrite((text) => emojiOf(text) ?? text)
  .meta({
    description:
      'One emoji, with or without its variation selectors (U+FE0F). The spelling that Unicode recommends is sent.',
    examples: ['❤️'],
  });

export const ok = z.boolean().meta({ description: 'Always true. A failed request returns an error instead.' });
export const sentText = z.string().meta({ description: 'The text, as sent.' });

/** The output fields of all actions that change one message. */
export const aboutMessage = {
  ok,
  conversation_id: conversationId,
  target_seq_id: seqId.meta({ description: 'Id of the message that was changed.' }),
};

/** Ids for examples: a conversation in the sandbox's dataset and a message in it. */
export const exampleConversation = '1089000000:1789000000';
export const exampleMessage = '1989000000000000000';
