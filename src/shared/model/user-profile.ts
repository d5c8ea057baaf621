import { z } from 'zod';
import { count, isoTime, numericId } from './scalars.ts';

/** All about one user (SPEC.md, User profile). */
export const userProfile = z
  .object({
    id: numericId,
    name: z.string(),
    userName: z.string(),
    location: z.string().nullable(),
    url: z.string().nullable(),
    description: z.string(),
    protected: z.boolean(),
    isVerified: z.boolean(),
    isBlueVerified: z.boolean(),
    verifiedType: z.string().nullable(),
    followers: count,
    following: count,
    favouritesCount: count,
    statusesCount: count,
    mediaCount: count,
    listedCount: count,
    createdAt: isoTime,
    coverPicture: z.string().nullable(),
    profilePicture: z.string().nullable(),
    canDm: z.boolean(),
    pinnedTweetIds: z.array(numericId),
  })
  .meta({ id: 'UserProfile' });

export type UserProfile = z.infer<typeof userProfile>;
