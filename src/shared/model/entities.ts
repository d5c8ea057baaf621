import { z } from 'zod';
import { count, numericId } from './scalars.ts';

const indices = z.tuple([count, count]).meta({ description: 'First code point, and the one after the last.' });
const tag = z.object({ text: z.string(), indices });

/** What is marked inside a Tweet's text (SPEC.md, Entities). */
export const entities = z
  .object({
    hashtags: z.array(tag),
    symbols: z.array(tag),
    timestamps: z.array(tag),
    urls: z.array(z.object({ url: z.string(), expanded_url: z.string(), display_url: z.string(), indices })),
    user_mentions: z.array(z.object({ id: numericId, screen_name: z.string(), name: z.string(), indices })),
  })
  .meta({ id: 'Entities' });

export type Entities = z.infer<typeof entities>;
