import { z } from 'zod';
import { count, numericId, tweetTime } from './scalars.ts';

/** The user inside a Tweet (SPEC.md, Author). */
export const author = z
  .object({
    type: z.literal('user'),
    id: numericId,
    userName: z.string(),
    name: z.string(),
    url: z.string().nullable(),
    platformUrl: z.string().nullable(),
    isVerified: z.boolean(),
    isBlueVerified: z.boolean(),
    verifiedType: z.string().nullable(),
    profilePicture: z.string().nullable(),
    coverPicture: z.string().nullable(),
    description: z.string(),
    location: z.string().nullable(),
    followers: count,
    following: count,
    favouritesCount: count,
    statusesCount: count,
    mediaCount: count,
    canDm: z.boolean(),
    createdAt: tweetTime.nullable(),
    pinnedTweetIds: z.array(numericId),
  })
  .meta({ id: 'Author' });

export type Author = z.infer<typeof author>;
