import { tweetInteraction } from './tweet-interaction.ts';

export const unretweet = tweetInteraction({
  name: 'tweet/unretweet',
  summary: 'Take back a retweet',
  atProtocol: 'a repost record, found again by its subject',
  done: 'unretweeted',
  perform: (platform, tweetId) => platform.unretweet(tweetId),
});
