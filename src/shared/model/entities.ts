import { z } from 'zod';
import { count, userId, userName } from './scalars.ts';

const indices = z
  .tuple([count, count])
  .meta({ description: 'Position in the text: the first code point, and the one after the last.' });

export const tag = z
  .object({ text: z.string().meta({ description: 'The word, without its sign.' }), indices })
  .meta({ description: 'A marked word of a text.' });

export const link = z
  .object({
    url: z.string().meta({ description: 'The address as it is written in the text.' }),
    expanded_url: z.string().meta({ description: 'The address that the link leads to.' }),
    display_url: z.string().meta({ description: 'The address as it is shown to people.' }),
    indices,
  })
  .meta({ description: 'A link in a text.' });

export const mention = z
  .object({ id: userId, screen_name: userName, name: z.string().meta({ description: 'Name of the user.' }), indices })
  .meta({ description: 'A user who is mentioned in a text.' });

/** The mentions, hashtags and links in the text of a tweet (docs/rest.md, Shapes). */
export const entities = z
  .object({
    hashtags: z.array(tag).meta({ description: 'Hashtags (`#word`).' }),
    symbols: z.array(tag).meta({ description: 'Symbols (`$WORD`).' }),
    timestamps: z.array(tag).meta({ description: 'Times in a video.' }),
    urls: z.array(link).meta({ description: 'Links.' }),
    user_mentions: z.array(mention).meta({ description: 'Users who are mentioned (`@name`).' }),
  })
  .meta({ id: 'Entities', description: 'The marked parts of the text of a tweet.' });

export type Entities = z.infer<typeof entities>;
