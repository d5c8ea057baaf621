import { z } from 'zod';
import { count, isoTime, timeOrEmpty } from './scalars.ts';
import { userFields } from './user.ts';

const { id, userName, name, profilePicture, isVerified, isBlueVerified } = userFields;

export const usernameChanges = z
  .object({
    count: count.meta({ description: 'How often the screen name was changed.' }),
    lastChangedAt: timeOrEmpty.meta({
      description: 'When the screen name was last changed. Has no value if it was never changed.',
    }),
  })
  .meta({ description: 'Changes of the screen name.' });

/** The origin of a user's account (docs/rest.md, Shapes). */
export const userAbout = z
  .object({
    id,
    userName,
    name,
    profilePicture,
    createdAt: isoTime.meta({ description: 'When the account was created.' }),
    isVerified,
    isBlueVerified,
    isIdentityVerified: z.boolean().meta({ description: 'True if the user showed an identity document.' }),
    verifiedSince: timeOrEmpty.meta({
      description: 'When the user was verified. Has no value if the user is not verified or the day is not known.',
    }),
    accountBasedIn: z.string().meta({ description: 'Country or region of the account.' }),
    createdVia: z.string().meta({ description: 'The client platform that the account was created with.' }),
    usernameChanges,
  })
  .meta({ id: 'UserAbout', description: 'The history of an account.' });

export type UserAbout = z.infer<typeof userAbout>;
