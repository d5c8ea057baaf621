import type { UserReference } from '../../platform/port.ts';
import { numericId, screenName } from '../../shared/model/scalars.ts';

/** How a query names a user (SPEC.md, Users). Use it with `anyOf('userName', 'userId')`. */
export const userInput = {
  userName: screenName.optional().meta({ description: 'Screen name; this or `userId`.' }),
  userId: numericId.optional().meta({ description: 'Overrides `userName`.' }),
};

export function userReference(input: { userName?: string | undefined; userId?: string | undefined }): UserReference {
  return input.userId === undefined ? { userName: input.userName ?? '' } : { userId: input.userId };
}
