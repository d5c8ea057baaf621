import type { SandboxTweet, User } from './types.ts';
import { hiddenFrom, isShownTo, type Viewer } from './visibility.ts';

/** Returns the counts of a user. Each equals the length of the list that the viewer sees. */
export function userCounts(user: User, viewer: Viewer) {
  return {
    followers: user.followers.size,
    following: user.following.size,
    favourites: user.liked.countShown((tweet) => hiddenFrom(viewer, tweet) === undefined),
    tweets: user.tweetCount,
    media: user.mediaCount,
    listed: user.memberships.length,
  };
}

/** Returns the counts of a tweet. Each equals the length of the list that the viewer sees. */
export function tweetCounts({ likers, retweeters, replies, quotes, bookmarks, views }: SandboxTweet, viewer: Viewer) {
  const isUserShown = (user: User) => isShownTo(viewer, user);
  const isTweetShown = (tweet: SandboxTweet) => hiddenFrom(viewer, tweet) === undefined;
  return {
    likes: likers.countShown(isUserShown),
    retweets: retweeters.countShown(isUserShown),
    replies: replies.countShown(isTweetShown),
    quotes: quotes.countShown(isTweetShown),
    bookmarks,
    views,
  };
}
