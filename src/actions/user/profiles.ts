import { z } from 'zod';
import type { UserReference } from '../../platform/port.ts';
import { divideFound, lookupList, missingReason } from '../../shared/model/lookup.ts';
import { numericId, screenName, userId, userName } from '../../shared/model/scalars.ts';
import { userProfile } from '../../shared/model/user.ts';
import { userAbout } from '../../shared/model/user-about.ts';
import { platformAction } from '../action.ts';
import { anyOf, oneOf, userInput, userReference } from '../input/input.ts';

export const me = platformAction({
  name: 'user/me',
  method: 'GET',
  summary: "The actor's own profile",
  input: z.object({}),
  example: {},
  output: userProfile,
  run: ({ platform }) => platform.ownProfile(),
});

export const userInfo = platformAction({
  name: 'user/info',
  method: 'GET',
  summary: 'The profile of a user',
  input: z.object(userInput).check(anyOf('userName', 'userId')),
  example: { userName: 'grace' },
  output: userProfile,
  run: ({ platform }, input) => platform.userProfile(userReference(input)),
});

export const about = platformAction({
  name: 'user/user_about',
  method: 'GET',
  summary: 'The history of an account: country, client, verification, former names',
  input: z.object(userInput).check(anyOf('userName', 'userId')),
  example: { userName: 'grace' },
  output: userAbout,
  run: ({ platform }, input) => platform.userAbout(userReference(input)),
});

export const missingUser = z
  .object({ id: userId.optional(), userName: userName.optional(), reason: missingReason })
  .meta({
    id: 'MissingUser',
    description: 'A user whom a look-up did not find, by the id or the name of the request.',
  });

export const userLookup = platformAction({
  name: 'user/lookup',
  method: 'GET',
  path: '/users',
  summary: 'The profiles of up to 100 users by their ids or names, in this order',
  description: 'A user who is given more than once counts once. Costs one call, also if users are missing.',
  input: z
    .object({
      ids: lookupList(numericId, 'Ids of users, at most 100 different ones.').optional(),
      userNames: lookupList(screenName, 'Screen names of users, at most 100 different ones.').optional(),
    })
    .check(oneOf('ids', 'userNames')),
  example: { userNames: ['grace', 'nobody_has_this_name'] },
  output: z.object({
    users: z.array(userProfile),
    missing: z.array(missingUser).meta({ description: 'The users that were not found.' }),
  }),
  async run({ platform }, { ids = [], userNames = [] }) {
    const byName = new Map(userNames.map((name) => [name.toLowerCase(), name]));
    const wanted: UserReference[] = [
      ...[...new Set(ids)].map((id) => ({ userId: id })),
      ...[...byName.values()].map((name) => ({ userName: name })),
    ];
    const { items, missing } = divideFound(wanted, await platform.users(wanted), (user) =>
      'userId' in user ? { id: user.userId } : user,
    );
    return { users: items, missing };
  },
});
