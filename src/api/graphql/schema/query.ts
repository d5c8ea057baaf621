import { advancedSearch } from '../../../actions/tweet/advanced-search.ts';
import { tweetDetail } from '../../../actions/tweet/detail.ts';
import { bookmarks } from '../../../actions/user/bookmarks.ts';
import { homeTimeline } from '../../../actions/user/home-timeline.ts';
import { userInfo } from '../../../actions/user/info.ts';
import { me } from '../../../actions/user/me.ts';
import { mentions } from '../../../actions/user/mentions.ts';
import { searchUsers } from '../../../actions/user/search.ts';
import type { Tweet } from '../../../shared/model/tweet.ts';
import type { UserCard } from '../../../shared/model/user-card.ts';
import type { UserProfile } from '../../../shared/model/user-profile.ts';
import type { Session } from '../session.ts';
import { AccountRef, readAccount } from './account.ts';
import { given, listCall, oneCall, type PageArgs, pageArgs } from './bind.ts';
import { builder } from './builder.ts';
import { RateLimitRef } from './rate-limit.ts';
import { ListRef, TweetConnection, TweetRef, type TweetSource, UserConnection, UserRef } from './refs.ts';
import { readTweet } from './tweet.ts';
import { fromCard, fromProfile, type UserSource } from './user-source.ts';

const SearchProduct = builder.enumType('SearchProduct', {
  description: 'The order of what a search finds.',
  values: {
    LATEST: { value: 'Latest', description: 'Newest first.' },
    TOP: { value: 'Top', description: 'Most engaging first.' },
  } as const,
});

interface SearchArgs extends PageArgs {
  q: string;
  product?: 'Latest' | 'Top' | null | undefined;
}

/** The profile serves whatever else the request wants to know of that user. */
function readProfile(profile: UserProfile, session: Session): UserSource {
  session.note(userInfo, { userId: profile.id }, profile);
  return fromProfile(profile);
}

function ownTweets(action: typeof homeTimeline) {
  return listCall<unknown, Tweet, TweetSource>({
    action,
    items: 'tweets',
    input: () => ({}),
    read: readTweet,
    view: 'tweet',
  });
}

builder.queryFields((t) => ({
  viewer: t.field({
    type: UserRef,
    description: 'The actor: whose token `x-auth-token` carries. A call.',
    ...oneCall<unknown, unknown, UserProfile, UserSource>({
      action: me,
      input: () => ({}),
      read: readProfile,
      view: 'profile',
    }),
  }),
  user: t.field({
    type: UserRef,
    description: 'A user, by screen name or id. A call.',
    args: {
      userName: t.arg.string({ description: 'Screen name; this or `userId`.' }),
      userId: t.arg.string({ description: 'Overrides `userName`.' }),
    },
    ...oneCall<
      unknown,
      { userName?: string | null | undefined; userId?: string | null | undefined },
      UserProfile,
      UserSource
    >({
      action: userInfo,
      input: (_root, { userName, userId }) => (userId == null ? given({ userName }) : { userId }),
      read: readProfile,
      view: 'profile',
    }),
  }),
  tweet: t.field({
    type: TweetRef,
    description: 'A tweet, by its id. A call.',
    args: { tweetId: t.arg.string({ required: true, description: "The platform's id." }) },
    ...oneCall<unknown, { tweetId: string }, Tweet, TweetSource>({
      action: tweetDetail,
      input: (_root, { tweetId }) => ({ tweet_id: tweetId }),
      read: readTweet,
      view: 'tweet',
    }),
  }),
  searchTweets: t.field({
    type: TweetConnection,
    description: 'What a search finds. A call.',
    args: {
      q: t.arg.string({
        required: true,
        description: 'Words, "exact phrases" and operators: `from:`, `to:`, `since:`, `until:`, `filter:`.',
      }),
      product: t.arg({ type: SearchProduct, defaultValue: 'Latest', description: 'Newest or most engaging first.' }),
      ...pageArgs,
    },
    ...listCall<unknown, Tweet, TweetSource, SearchArgs>({
      action: advancedSearch,
      items: 'tweets',
      input: (_root, { q, product }) => given({ q, product }),
      read: readTweet,
      view: 'tweet',
    }),
  }),
  searchUsers: t.field({
    type: UserConnection,
    description: 'Users who match, the best match first. A call.',
    args: {
      q: t.arg.string({
        required: true,
        description: 'Words of the screen name, the name or the description; all of them must match.',
      }),
      ...pageArgs,
    },
    ...listCall<unknown, UserCard, UserSource, PageArgs & { q: string }>({
      action: searchUsers,
      items: 'users',
      input: (_root, { q }) => ({ q }),
      read: fromCard,
      view: 'card',
    }),
  }),
  homeTimeline: t.field({
    type: TweetConnection,
    description: "The actor's For You feed. A call.",
    args: pageArgs,
    ...ownTweets(homeTimeline),
  }),
  bookmarks: t.field({
    type: TweetConnection,
    description: "The actor's own bookmarks, newest first. A call.",
    args: pageArgs,
    ...ownTweets(bookmarks),
  }),
  mentions: t.field({
    type: TweetConnection,
    description: 'Tweets that mention the actor, newest first. A call.',
    args: pageArgs,
    ...ownTweets(mentions),
  }),
  list: t.field({
    type: ListRef,
    nullable: true,
    description: 'A list of users, by its id. Free; its members are a call.',
    args: { listId: t.arg.string({ required: true, description: "The platform's id." }) },
    resolve: (_root, { listId }) => ({ listId }),
  }),
  account: t.field({
    type: AccountRef,
    description: 'The API account that pays. Free, and needs no actor.',
    ...readAccount,
  }),
  rateLimit: t.field({
    type: RateLimitRef,
    nullable: true,
    description: 'What the key and this request may use. Free, and needs no actor.',
    resolve: (_root, _args, session) => session.terms,
  }),
}));
