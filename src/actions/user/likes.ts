import { tweetsOfUser } from './user-lists.ts';

export const userLikes = tweetsOfUser({
  name: 'user/likes',
  summary: 'The tweets that a user liked, the newest like first',
  example: 'grace',
  fetch: (platform, user, page) => platform.likedTweets(user, page),
});
