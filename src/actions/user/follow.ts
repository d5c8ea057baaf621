import { followAction } from './follow-action.ts';

export const follow = followAction({
  name: 'user/follow',
  summary: 'Follow a user, or ask a protected one',
  perform: (platform, user) => platform.follow(user),
});
