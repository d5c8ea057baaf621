import { z } from 'zod';
import type { FollowState, PlatformSession, UserReference } from '../../platform/port.ts';
import { numericId, screenName } from '../../shared/model/scalars.ts';
import { flatPrice, type PlatformAction, platformAction } from '../action.ts';
import { anyOf } from '../input/input.ts';
import { userReference } from '../input/user-input.ts';

interface Follow {
  name: string;
  summary: string;
  atProtocol: string | null;
  perform: (platform: PlatformSession, user: UserReference) => Promise<FollowState>;
}

/** Follow and unfollow: the same input, the same answer (SPEC.md, Users). */
export function followAction({ name, perform, ...documented }: Follow): PlatformAction {
  return platformAction({
    ...documented,
    name,
    method: 'POST',
    path: `/${name}`,
    price: flatPrice,
    effect: 'idempotent',
    input: z
      .object({
        username: screenName.optional().meta({ description: 'Screen name of the target; this or `user_id`.' }),
        user_id: numericId.optional().meta({ description: 'Overrides `username`.' }),
      })
      .check(anyOf('username', 'user_id')),
    example: { username: 'grace' },
    output: z.object({
      userId: numericId,
      userName: z.string(),
      name: z.string(),
      following: z.boolean(),
      followRequestSent: z.boolean(),
      protected: z.boolean(),
    }),
    async run({ platform }, { username, user_id }) {
      const { id, ...state } = await perform(platform, userReference({ userName: username, userId: user_id }));
      return { userId: id, ...state };
    },
  });
}
