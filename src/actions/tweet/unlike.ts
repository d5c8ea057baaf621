import { tweetInteraction } from './tweet-interaction.ts';

export const unlike = tweetInteraction({
  name: 'tweet/unlike',
  summary: 'Take back a like',
  atProtocol: 'a like record, found again by its subject',
  done: 'unliked',
  perform: (platform, tweetId) => platform.unlikeTweet(tweetId),
});
