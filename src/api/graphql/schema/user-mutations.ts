import type { OutputOf } from '../../../actions/action.ts';
import { follow } from '../../../actions/user/follow.ts';
import { userInfo } from '../../../actions/user/info.ts';
import { unfollow } from '../../../actions/user/unfollow.ts';
import { oneCall } from './bind.ts';
import { mutation } from './mutation.ts';
import { UserRef } from './refs.ts';
import { fromProfile, type UserSource } from './user-source.ts';

for (const [field, action] of [
  ['followUser', follow],
  ['unfollowUser', unfollow],
] as const) {
  mutation(field, action, {
    payload: {
      fields: (t) => ({
        user: t.field({
          type: UserRef,
          ...oneCall({
            action: userInfo,
            about: 'The user.',
            input: ({ userId }: OutputOf<typeof follow>) => ({ userId }),
            read: fromProfile,
            view: 'profile',
            atHand: {
              known: ['id', 'userId', 'userName', 'name', 'protected'],
              source: ({ userId, ...known }) => ({ ...known, id: userId }) as unknown as UserSource,
            },
          }),
        }),
      }),
    },
  });
}
