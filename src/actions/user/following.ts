import { usersOfUser } from './user-lists.ts';

export const following = usersOfUser('following', {
  name: 'user/following',
  summary: 'The users whom a user follows',
  example: 'grace',
  fetch: (platform, user, page) => platform.following(user, page),
});
