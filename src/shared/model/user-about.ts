import { z } from 'zod';
import { count, isoTime, numericId } from './scalars.ts';

/** Where an account comes from (SPEC.md, User about). */
export const userAbout = z
  .object({
    id: numericId,
    userName: z.string(),
    name: z.string(),
    profilePicture: z.string().nullable(),
    createdAt: isoTime,
    isVerified: z.boolean(),
    isBlueVerified: z.boolean(),
    isIdentityVerified: z.boolean(),
    verifiedSince: isoTime
      .or(z.literal(''))
      .meta({ description: 'Empty for users who are not verified, and if the day is not known.' }),
    accountBasedIn: z.string(),
    createdVia: z.string().meta({ description: 'The client platform.' }),
    usernameChanges: z.object({
      count,
      lastChangedAt: isoTime.or(z.literal('')).meta({ description: 'Empty where there was none.' }),
    }),
  })
  .meta({ id: 'UserAbout' });

export type UserAbout = z.infer<typeof userAbout>;
