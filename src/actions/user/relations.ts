import { z } from 'zod';
import type { NamedUser, PlatformSession, UserReference } from '../../platform/port.ts';
import { screenName, userId, userName } from '../../shared/model/scalars.ts';
import { userProfile } from '../../shared/model/user.ts';
import { type ActionName, platformAction } from '../action.ts';
import { anyOf, userReference } from '../input/input.ts';

interface Relation {
  name: ActionName;
  summary: string;
  /** The output fields besides those of the user. */
  state: z.ZodRawShape;
  /** Returns the user with the fields of `state`. */
  perform: (platform: PlatformSession, user: UserReference) => Promise<NamedUser>;
}

const named = { userId, userName, name: userProfile.shape.name };

/** Declares an action that sets or clears a relation of the actor to another user. */
function relation({ name, state, perform, ...documented }: Relation) {
  return platformAction({
    ...documented,
    name,
    method: 'POST',
    effect: 'idempotent',
    input: z
      .object({
        username: screenName.optional().meta({ description: 'Screen name of the user.' }),
        user_id: userId.optional().meta({ description: "The platform's id of the user; overrides `username`." }),
      })
      .check(anyOf('username', 'user_id')),
    example: { username: 'grace' },
    output: z.object({ ...named, ...state }) as z.ZodObject<typeof named>,
    async run({ platform }, { username, user_id }) {
      const { id, ...user } = await perform(platform, userReference({ userName: username, userId: user_id }));
      return { userId: id, ...user };
    },
  });
}

const followState = {
  following: z.boolean().meta({ description: 'True if the actor follows the user now.' }),
  followRequestSent: z.boolean().meta({ description: 'True if the user has not accepted the follow request yet.' }),
  protected: userProfile.shape.protected,
};
const blockState = { blocking: z.boolean().meta({ description: 'True if the actor is blocking the user now.' }) };
const muteState = { muting: z.boolean().meta({ description: 'True if the actor is muting the user now.' }) };

export const follow = relation({
  name: 'user/follow',
  summary: 'Follow a user, or request to follow a protected user',
  state: followState,
  perform: (platform, user) => platform.follow(user),
});

export const unfollow = relation({
  name: 'user/unfollow',
  summary: 'Unfollow a user, or withdraw a follow request',
  state: followState,
  perform: (platform, user) => platform.unfollow(user),
});

export const block = relation({
  name: 'user/block',
  summary: 'Block a user; both stop following each other',
  state: blockState,
  perform: async (platform, user) => ({ ...(await platform.block(user)), blocking: true }),
});

export const unblock = relation({
  name: 'user/unblock',
  summary: 'Unblock a user',
  state: blockState,
  perform: async (platform, user) => ({ ...(await platform.unblock(user)), blocking: false }),
});

export const mute = relation({
  name: 'user/mute',
  summary: 'Mute a user: hide their tweets in the home timeline and in mentions',
  state: muteState,
  perform: async (platform, user) => ({ ...(await platform.mute(user)), muting: true }),
});

export const unmute = relation({
  name: 'user/unmute',
  summary: 'Unmute a user',
  state: muteState,
  perform: async (platform, user) => ({ ...(await platform.unmute(user)), muting: false }),
});
