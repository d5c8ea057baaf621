import { z } from 'zod';
import type { NamedUser, PlatformSession, UserReference } from '../../platform/port.ts';
import { userId, userName } from '../../shared/model/scalars.ts';
import { userProfile } from '../../shared/model/user.ts';
import { type ActionName, flatPrice, platformAction } from '../action.ts';
import { userReference } from '../input/input.ts';
import { otherUser } from './follow-action.ts';

interface Relate {
  name: ActionName;
  summary: string;
  /** The boolean field of the output, and what it says afterwards. */
  state: readonly [field: 'blocking' | 'muting', holds: boolean];
  perform: (platform: PlatformSession, user: UserReference) => Promise<NamedUser>;
}

const named = { userId, userName, name: userProfile.shape.name };
const stateOf = (field: string) => z.boolean().meta({ description: `True if the actor is ${field} the user now.` });

/** Declares an action that sets or clears a relation of the actor to another user. */
function relate({ name, state: [field, holds], perform, ...documented }: Relate) {
  return platformAction({
    ...documented,
    name,
    method: 'POST',
    path: `/${name}`,
    price: flatPrice,
    effect: 'idempotent',
    input: otherUser,
    example: { username: 'grace' },
    output: z.object({ ...named, [field]: stateOf(field) }) as z.ZodObject<typeof named>,
    async run({ platform }, { username, user_id }) {
      const { id, ...user } = await perform(platform, userReference({ userName: username, userId: user_id }));
      return { userId: id, ...user, [field]: holds };
    },
  });
}

export const block = relate({
  name: 'user/block',
  summary: 'Block a user; both stop following each other',
  state: ['blocking', true],
  perform: (platform, user) => platform.block(user),
});

export const unblock = relate({
  name: 'user/unblock',
  summary: 'Unblock a user',
  state: ['blocking', false],
  perform: (platform, user) => platform.unblock(user),
});

export const mute = relate({
  name: 'user/mute',
  summary: 'Mute a user, whose tweets then miss in the home timeline and in mentions',
  state: ['muting', true],
  perform: (platform, user) => platform.mute(user),
});

export const unmute = relate({
  name: 'user/unmute',
  summary: 'Unmute a user',
  state: ['muting', false],
  perform: (platform, user) => platform.unmute(user),
});
