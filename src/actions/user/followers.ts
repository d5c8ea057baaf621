import { usersOfUser } from './user-lists.ts';

export const followers = usersOfUser('followers', {
  name: 'user/followers',
  summary: 'The followers of a user',
  example: 'grace',
  fetch: (platform, user, page) => platform.followers(user, page),
});
