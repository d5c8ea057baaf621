import type { Page } from '../shared/model/page.ts';
import type { Tweet } from '../shared/model/tweet.ts';
import type { UserAbout } from '../shared/model/user-about.ts';
import type { UserCard } from '../shared/model/user-card.ts';
import type { UserProfile } from '../shared/model/user-profile.ts';
import type { PlatformArticles } from './articles-port.ts';
import type { PlatformMedia } from './media-port.ts';
import type { PlatformMessages } from './messages-port.ts';
import {
  type ActivityPage,
  type CreatedTweet,
  type FollowState,
  type NewTweet,
  NotSupportedError,
  type PageOf,
  type PageRequest,
  type PlatformSession,
  type TweetSearch,
  type UserReference,
  type ViewerPage,
} from './port.ts';
import type { PlatformRealms } from './realms-port.ts';

/** What an adapter's session extends: each operation that it does not override is not supported. */
export class UnsupportedSession implements PlatformSession {
  searchTweets(_search: TweetSearch): Promise<Page<Tweet>> {
    throw new NotSupportedError();
  }
  createTweet(_tweet: NewTweet): Promise<CreatedTweet> {
    throw new NotSupportedError();
  }
  deleteTweet(_tweetId: string): Promise<void> {
    throw new NotSupportedError();
  }
  likeTweet(_tweetId: string): Promise<void> {
    throw new NotSupportedError();
  }
  unlikeTweet(_tweetId: string): Promise<void> {
    throw new NotSupportedError();
  }
  bookmarkTweet(_tweetId: string): Promise<void> {
    throw new NotSupportedError();
  }
  unbookmarkTweet(_tweetId: string): Promise<void> {
    throw new NotSupportedError();
  }
  retweet(_tweetId: string): Promise<void> {
    throw new NotSupportedError();
  }
  unretweet(_tweetId: string): Promise<void> {
    throw new NotSupportedError();
  }
  tweet(_tweetId: string): Promise<Tweet> {
    throw new NotSupportedError();
  }
  replies(_tweetId: string, _page: PageRequest): Promise<Page<Tweet>> {
    throw new NotSupportedError();
  }
  quotes(_tweetId: string, _page: PageRequest): Promise<Page<Tweet>> {
    throw new NotSupportedError();
  }
  homeTimeline(_page: PageRequest): Promise<ViewerPage<Tweet>> {
    throw new NotSupportedError();
  }
  bookmarks(_page: PageRequest): Promise<ViewerPage<Tweet>> {
    throw new NotSupportedError();
  }
  ownProfile(): Promise<UserProfile> {
    throw new NotSupportedError();
  }
  userProfile(_user: UserReference): Promise<UserProfile> {
    throw new NotSupportedError();
  }
  userAbout(_user: UserReference): Promise<UserAbout> {
    throw new NotSupportedError();
  }
  userTweets(_user: UserReference, _page: PageRequest): Promise<PageOf<Tweet>> {
    throw new NotSupportedError();
  }
  userArticles(_user: UserReference, _page: PageRequest): Promise<PageOf<Tweet>> {
    throw new NotSupportedError();
  }
  followers(_user: UserReference, _page: PageRequest): Promise<PageOf<UserCard>> {
    throw new NotSupportedError();
  }
  following(_user: UserReference, _page: PageRequest): Promise<PageOf<UserCard>> {
    throw new NotSupportedError();
  }
  knownFollowers(_user: UserReference, _page: PageRequest): Promise<PageOf<UserCard> & ViewerPage<UserCard>> {
    throw new NotSupportedError();
  }
  affiliates(_user: UserReference, _page: PageRequest): Promise<PageOf<UserCard>> {
    throw new NotSupportedError();
  }
  follow(_user: UserReference): Promise<FollowState> {
    throw new NotSupportedError();
  }
  unfollow(_user: UserReference): Promise<FollowState> {
    throw new NotSupportedError();
  }
  listMembers(_listId: string, _page: PageRequest): Promise<Page<UserCard>> {
    throw new NotSupportedError();
  }
  activity(_page: PageRequest): Promise<ActivityPage> {
    throw new NotSupportedError();
  }
  get media(): PlatformMedia {
    throw new NotSupportedError();
  }
  get realms(): PlatformRealms {
    throw new NotSupportedError();
  }
  get messages(): PlatformMessages {
    throw new NotSupportedError();
  }
  get articles(): PlatformArticles {
    throw new NotSupportedError();
  }
}
