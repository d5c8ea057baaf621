import { z } from 'zod';
import { count } from './scalars.ts';

/** A photo, video or animation of a Tweet (SPEC.md, Media). */
export const media = z
  .object({
    type: z.string().meta({ examples: ['photo'] }),
    url: z.string(),
    expanded_url: z.string().nullable(),
    video_url: z.string().nullable(),
    width: count.nullable(),
    height: count.nullable(),
    duration_ms: count.nullable(),
  })
  .meta({ id: 'Media' });

export type Media = z.infer<typeof media>;
