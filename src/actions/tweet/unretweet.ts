import { tweetInteraction } from './tweet-interaction.ts';

export const unretweet = tweetInteraction({
  name: 'tweet/unretweet',
  summary: 'Remove a retweet',
  done: 'unretweeted',
  perform: (platform, tweetId) => platform.unretweet(tweetId),
});
