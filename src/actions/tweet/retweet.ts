import { tweetInteraction } from './tweet-interaction.ts';

export const retweet = tweetInteraction({
  name: 'tweet/retweet',
  summary: 'Retweet a tweet',
  done: 'retweeted',
  perform: (platform, tweetId) => platform.retweet(tweetId),
});
