import { z } from 'zod';
import { otherUserFields, userFields } from './user-fields.ts';

const { platformUrl: _ofAuthors, ...fields } = otherUserFields;

/** The complete profile of a user (docs/rest.md, Shapes). */
export const userProfile = z.object({ ...userFields, ...fields }).meta({ id: 'UserProfile' });

export type UserProfile = z.infer<typeof userProfile>;
