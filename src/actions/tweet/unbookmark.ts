import { tweetInteraction } from './tweet-interaction.ts';

export const unbookmark = tweetInteraction({
  name: 'tweet/unbookmark',
  summary: 'Take back a bookmark',
  atProtocol: '`app.bsky.bookmark.*`',
  done: 'unbookmarked',
  perform: (platform, tweetId) => platform.unbookmarkTweet(tweetId),
});
