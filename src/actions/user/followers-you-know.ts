import { z } from 'zod';
import { pageInput } from '../../shared/model/page.ts';
import { numericId, screenName } from '../../shared/model/scalars.ts';
import { platformAction } from '../action.ts';
import { anyOf, userReference } from '../input/input.ts';
import { ownedCursor, platformCursor } from '../input/list-owner.ts';
import { userPage, userPageOutput } from '../paging/pages.ts';

export const followersYouKnow = platformAction({
  name: 'user/followers_you_know',
  method: 'POST',
  summary: 'Followers of a user whom the actor follows too',
  effect: 'read',
  paged: true,
  owner: { id: 'user_id', name: 'user_name' },
  input: z
    .object({
      user_name: screenName.optional().meta({ description: 'Screen name of the user.' }),
      user_id: numericId.optional().meta({ description: "The platform's id of the user; overrides `user_name`." }),
      ...pageInput,
    })
    .check(anyOf('user_name', 'user_id')),
  example: { user_name: 'grace', count: 1 },
  output: z.object({ userId: numericId, targetUserId: numericId, ...userPageOutput('followers_you_know') }),
  async run({ platform }, { user_name, user_id, count, cursor }) {
    const target = userReference({ userName: user_name, userId: user_id });
    const page = await platform.knownFollowers(target, { count, cursor: platformCursor(cursor) });
    const owned = { ...page, cursor: ownedCursor(page.user, page.cursor) };
    return { userId: page.viewerId, targetUserId: page.user.id, ...userPage('followers_you_know', owned) };
  },
});
