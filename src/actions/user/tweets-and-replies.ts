import { tweetsOfUser } from './user-lists.ts';

export const tweetsAndReplies = tweetsOfUser({
  name: 'user/tweets_and_replies',
  summary: "A user's tweets, replies and retweets, newest first",
  example: 'grace',
  fetch: (platform, user, page) => platform.userTweets(user, page),
});
