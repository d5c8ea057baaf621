import { z } from 'zod';
import { count, isoTime, numericId } from './scalars.ts';

/** A user in a list of users (SPEC.md, User card). */
export const userCard = z
  .object({
    type: z.literal('user'),
    id: numericId,
    userName: z.string(),
    name: z.string(),
    url: z.string().nullable(),
    isVerified: z.boolean(),
    isBlueVerified: z.boolean(),
    verifiedType: z.string().nullable(),
    protected: z.boolean(),
    profilePicture: z.string().nullable(),
    coverPicture: z.string().nullable(),
    description: z.string(),
    location: z.string().nullable(),
    followers: count,
    following: count,
    tweets: count,
    listed: count,
    createdAt: isoTime,
    canDm: z.boolean(),
  })
  .meta({ id: 'UserCard' });

export type UserCard = z.infer<typeof userCard>;
