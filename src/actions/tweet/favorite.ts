import { tweetInteraction } from './tweet-interaction.ts';

export const favorite = tweetInteraction({
  name: 'tweet/favorite',
  summary: 'Like a tweet',
  done: 'liked',
  perform: (platform, tweetId) => platform.likeTweet(tweetId),
});
