import { followAction } from './follow-action.ts';

export const unfollow = followAction({
  name: 'user/unfollow',
  summary: 'Unfollow a user, or take back a request',
  atProtocol: 'a follow record; no requests',
  perform: (platform, user) => platform.unfollow(user),
});
