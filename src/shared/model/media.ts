import { z } from 'zod';
import { count } from './scalars.ts';

const url = z.string();

/** A photo, video or animation of a tweet (docs/rest.md, Shapes). */
export const media = z
  .object({
    type: z.string().meta({ description: 'Kind of media, such as `photo` or `video`.', examples: ['photo'] }),
    url: url.meta({ description: 'Address of the picture.' }),
    expanded_url: url.nullable().meta({ description: 'Address of the page of the media.' }),
    video_url: url.nullable().meta({ description: 'Address of the video; null for a photo.' }),
    width: count.nullable().meta({ description: 'Width in pixels.' }),
    height: count.nullable().meta({ description: 'Height in pixels.' }),
    duration_ms: count.nullable().meta({ description: 'Duration of a video in milliseconds.' }),
  })
  .meta({ id: 'Media', description: 'A photo, video or animation of a tweet.' });

export type Media = z.infer<typeof media>;
