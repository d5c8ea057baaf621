import { followAction } from './follow-action.ts';

export const follow = followAction({
  name: 'user/follow',
  summary: 'Follow a user, or request to follow a protected user',
  perform: (platform, user) => platform.follow(user),
});
