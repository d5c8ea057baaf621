import { z } from 'zod';
import { otherUserFields, userFields } from './user-fields.ts';

const { protected: isProtected, statusesCount, listedCount, createdAt } = otherUserFields;

/** A user in a list of users (docs/rest.md, Shapes). */
export const userCard = z
  .object({
    type: z.literal('user'),
    ...userFields,
    protected: isProtected,
    tweets: statusesCount,
    listed: listedCount,
    createdAt,
  })
  .meta({ id: 'UserCard' });

export type UserCard = z.infer<typeof userCard>;
