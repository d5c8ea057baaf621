import { tweetsOfUser } from './user-lists.ts';

export const articlesTweets = tweetsOfUser({
  name: 'user/articles_tweets',
  summary: "A user's published articles, as their wrapper tweets",
  example: 'ada',
  fetch: (platform, user, page) => platform.userArticles(user, page),
});
