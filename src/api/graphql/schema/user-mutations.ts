import type { Action } from '../../../actions/action.ts';
import { follow } from '../../../actions/user/follow.ts';
import { userInfo } from '../../../actions/user/info.ts';
import { unfollow } from '../../../actions/user/unfollow.ts';
import type { UserProfile } from '../../../shared/model/user-profile.ts';
import { given, oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { performs } from './mutation.ts';
import { UserRef } from './refs.ts';
import { fromProfile, type UserSource } from './user-source.ts';

interface Followed {
  userId: string;
  userName: string;
  name: string;
  following: boolean;
  followRequestSent: boolean;
  protected: boolean;
}

function followMutation(field: string, action: Action, about: string): void {
  const name = field[0]?.toUpperCase() + field.slice(1);
  const input = builder.inputType(`${name}Input`, {
    description: `Whom ${field} is about.`,
    fields: (t) => ({
      userId: t.string({ description: "The platform's id; overrides `userName`." }),
      userName: t.string({ description: 'Screen name; this or `userId`.' }),
    }),
  });
  const payload = builder.objectRef<Followed>(`${name}Payload`);
  builder.objectType(payload, {
    description: `What ${field} did.`,
    fields: (t) => ({
      userId: t.exposeString('userId', { description: "The platform's id of the user." }),
      userName: t.exposeString('userName', { description: 'Screen name, without @.' }),
      name: t.exposeString('name', { description: 'Name.' }),
      following: t.exposeBoolean('following', { description: 'True where the actor follows the user now.' }),
      followRequestSent: t.exposeBoolean('followRequestSent', {
        description: 'True where the user has yet to accept.',
      }),
      protected: t.exposeBoolean('protected', { description: 'True where only approved followers see the tweets.' }),
      user: t.field({
        type: UserRef,
        description: 'The user. A call, unless only `userId`, `userName`, `name` and `protected` are asked for.',
        ...oneCall<Followed, unknown, UserProfile, UserSource>({
          action: userInfo,
          input: ({ userId }) => ({ userId }),
          read: fromProfile,
          view: 'profile',
          atHand: {
            known: ['id', 'userId', 'userName', 'name', 'protected'],
            source: ({ userId, ...known }) => ({ ...known, id: userId }) as unknown as UserSource,
          },
        }),
      }),
    }),
  });
  builder.mutationField(field, (t) =>
    t.field({
      type: payload,
      description: `${about} A second time it is the same. A call.`,
      args: { input: t.arg({ type: input, required: true, description: 'Whom.' }) },
      ...performs<typeof input.$inferInput, Followed>(action, ({ userId, userName }) =>
        userId == null ? given({ username: userName }) : { user_id: userId },
      ),
    }),
  );
}

followMutation('followUser', follow, 'Follow a user, or ask a protected one.');
followMutation('unfollowUser', unfollow, 'Follow a user no longer, or take the request back.');
