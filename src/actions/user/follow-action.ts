import { z } from 'zod';
import type { FollowState, PlatformSession, UserReference } from '../../platform/port.ts';
import { screenName, userId, userName } from '../../shared/model/scalars.ts';
import { userProfile } from '../../shared/model/user.ts';
import { type ActionName, flatPrice, platformAction } from '../action.ts';
import { anyOf, userReference } from '../input/input.ts';

interface Follow {
  name: ActionName;
  summary: string;
  perform: (platform: PlatformSession, user: UserReference) => Promise<FollowState>;
}

/** The input of writes about another user. */
export const otherUser = z
  .object({
    username: screenName.optional().meta({ description: 'Screen name of the user.' }),
    user_id: userId.optional().meta({ description: "The platform's id of the user; overrides `username`." }),
  })
  .check(anyOf('username', 'user_id'));

/** Declares `user/follow` and `user/unfollow`, which have the same input and output (docs/rest.md, Calls). */
export function followAction({ name, perform, ...documented }: Follow) {
  return platformAction({
    ...documented,
    name,
    method: 'POST',
    path: `/${name}`,
    price: flatPrice,
    effect: 'idempotent',
    input: otherUser,
    example: { username: 'grace' },
    output: z.object({
      userId,
      userName,
      name: userProfile.shape.name,
      following: z.boolean().meta({ description: 'True if the actor follows the user now.' }),
      followRequestSent: z.boolean().meta({ description: 'True if the user has not accepted the follow request yet.' }),
      protected: userProfile.shape.protected,
    }),
    async run({ platform }, { username, user_id }) {
      const { id, ...state } = await perform(platform, userReference({ userName: username, userId: user_id }));
      return { userId: id, ...state };
    },
  });
}
