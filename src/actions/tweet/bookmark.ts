import { tweetInteraction } from './tweet-interaction.ts';

export const bookmark = tweetInteraction({
  name: 'tweet/bookmark',
  summary: 'Bookmark a tweet',
  done: 'bookmarked',
  perform: (platform, tweetId) => platform.bookmarkTweet(tweetId),
});
