import { tweetInteraction } from './tweet-interaction.ts';

export const unbookmark = tweetInteraction({
  name: 'tweet/unbookmark',
  summary: 'Remove a bookmark',
  done: 'unbookmarked',
  perform: (platform, tweetId) => platform.unbookmarkTweet(tweetId),
});
