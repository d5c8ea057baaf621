import { z } from 'zod';
import { tweetTime } from './scalars.ts';
import { otherUserFields, userFields } from './user-fields.ts';

const { platformUrl, favouritesCount, statusesCount, mediaCount, pinnedTweetIds } = otherUserFields;

/** The author of a tweet (docs/rest.md, Shapes). */
export const author = z
  .object({
    type: z.literal('user'),
    ...userFields,
    platformUrl,
    favouritesCount,
    statusesCount,
    mediaCount,
    createdAt: tweetTime.nullable().meta({ description: 'When the user joined.' }),
    pinnedTweetIds,
  })
  .meta({ id: 'Author' });

export type Author = z.infer<typeof author>;
