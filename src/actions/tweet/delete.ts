import { tweetInteraction } from './tweet-interaction.ts';

export const deleteTweet = tweetInteraction({
  name: 'tweet/delete',
  summary: 'Delete a tweet of your own',
  done: 'deleted',
  effect: 'once',
  perform: (platform, tweetId) => platform.deleteTweet(tweetId),
});
