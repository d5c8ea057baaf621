import { z } from 'zod';
import { count, isoTime, timeOrEmpty } from './scalars.ts';
import { userFields } from './user-fields.ts';

const { id, userName, name, profilePicture, isVerified, isBlueVerified } = userFields;

export const usernameChanges = z
  .object({
    count: count.meta({ description: 'How often the screen name was changed.' }),
    lastChangedAt: timeOrEmpty.meta({ description: 'When it was last changed, if it ever was.' }),
  })
  .meta({ description: 'Changes of the screen name.' });

/** Where an account comes from (docs/rest.md, User about). */
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
      description: 'When the user was verified, if the user is and the day is known.',
    }),
    accountBasedIn: z.string().meta({ description: 'Country or region of the account.' }),
    createdVia: z.string().meta({ description: 'The client platform that the account was created with.' }),
    usernameChanges,
  })
  .meta({ id: 'UserAbout', description: 'Where an account comes from.' });

export type UserAbout = z.infer<typeof userAbout>;
