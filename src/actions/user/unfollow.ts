import { followAction } from './follow-action.ts';

export const unfollow = followAction({
  name: 'user/unfollow',
  summary: 'Unfollow a user, or withdraw a follow request',
  perform: (platform, user) => platform.unfollow(user),
});
