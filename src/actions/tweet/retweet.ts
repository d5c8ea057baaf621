import { tweetInteraction } from './tweet-interaction.ts';

export const retweet = tweetInteraction({
  name: 'tweet/retweet',
  summary: 'Retweet a tweet',
  atProtocol: 'a repost record, found again by its subject',
  done: 'retweeted',
  perform: (platform, tweetId) => platform.retweet(tweetId),
});
