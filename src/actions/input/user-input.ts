import type { UserReference } from '../../platform/port.ts';
import { numericId, screenName } from '../../shared/model/scalars.ts';

/** The input fields that identify a user (docs/rest.md, Requests). Use them with `anyOf('userName', 'userId')`. */
export const userInput = {
  userName: screenName.optional().meta({ description: 'Screen name of the user.' }),
  userId: numericId.optional().meta({ description: "The platform's id of the user; overrides `userName`." }),
};

export function userReference(input: { userName?: string | undefined; userId?: string | undefined }): UserReference {
  return input.userId === undefined ? { userName: input.userName ?? '' } : { userId: input.userId };
}
