import { tweetInteraction } from './tweet-interaction.ts';

export const deleteTweet = tweetInteraction({
  name: 'tweet/delete',
  summary: 'Delete a tweet of the actor',
  atProtocol: '`com.atproto.repo.deleteRecord`; succeeds twice',
  done: 'deleted',
  effect: 'once',
  perform: (platform, tweetId) => platform.deleteTweet(tweetId),
});
