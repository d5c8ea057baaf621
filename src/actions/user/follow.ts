import { followAction } from './follow-action.ts';

export const follow = followAction({
  name: 'user/follow',
  summary: 'Follow a user, or ask a protected one',
  atProtocol: 'a follow record; no requests',
  perform: (platform, user) => platform.follow(user),
});
