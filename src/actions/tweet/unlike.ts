import { tweetInteraction } from './tweet-interaction.ts';

export const unlike = tweetInteraction({
  name: 'tweet/unlike',
  summary: 'Remove a like',
  done: 'unliked',
  perform: (platform, tweetId) => platform.unlikeTweet(tweetId),
});
