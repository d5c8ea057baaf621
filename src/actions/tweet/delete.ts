import { tweetInteraction } from './tweet-interaction.ts';

export const deleteTweet = tweetInteraction({
  name: 'tweet/delete',
  summary: 'Delete a tweet of the actor',
  done: 'deleted',
  effect: 'once',
  destructive: true,
  perform: (platform, tweetId) => platform.deleteTweet(tweetId),
});
