import type { SandboxTweet, User } from './types.ts';
import { hiddenFrom, isShownTo, type Viewer } from './visibility.ts';

/** Returns the counts of a user. Each equals the length of the list that the viewer sees. */
export function userCounts(user: User, viewer: Viewer) {
  return {
    followers: user.followers.size,
    following: user.following.size,
    favourites: user.liked.countShown((tweet) => hiddenFrom(viewer, tweet) === undefined, hasBlocks(viewer)),
    tweets: user.tweetCount,
    media: user.mediaCount,
    listed: user.memberships.length,
  };
}

const hasBlocks = (viewer: Viewer) => viewer !== null && viewer.blocked.size + viewer.blockedBy.size > 0;

/** Returns the counts of a tweet. Each equals the length of the list that the viewer sees. */
export function tweetCounts({ likers, retweeters, replies, quotes, bookmarks, views }: SandboxTweet, viewer: Viewer) {
  const isUserShown = (user: User) => isShownTo(viewer, user);
  const isTweetShown = (tweet: SandboxTweet) => hiddenFrom(viewer, tweet) === undefined;
  const all = hasBlocks(viewer);
  return {
    likes: likers.countShown(isUserShown, all),
    retweets: retweeters.countShown(isUserShown, all),
    replies: replies.countShown(isTweetShown, all),
    quotes: quotes.countShown(isTweetShown, all),
    bookmarks,
    views,
  };
}
