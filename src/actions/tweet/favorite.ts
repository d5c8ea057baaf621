import { tweetInteraction } from './tweet-interaction.ts';

export const favorite = tweetInteraction({
  name: 'tweet/favorite',
  summary: 'Like a tweet',
  atProtocol: 'a like record, found again by its subject',
  done: 'liked',
  perform: (platform, tweetId) => platform.likeTweet(tweetId),
});
