import { balance } from '../../../actions/account/account.ts';
import { listMembers } from '../../../actions/list/members.ts';
import { advancedSearch, searchProduct } from '../../../actions/tweet/advanced-search.ts';
import { missingTweet, tweetDetail, tweetLookup } from '../../../actions/tweet/lookup.ts';
import { bookmarks, homeTimeline, mentions } from '../../../actions/user/own-tweets.ts';
import { me, missingUser, userInfo, userLookup } from '../../../actions/user/profiles.ts';
import { searchUsers } from '../../../actions/user/search.ts';
import { missingReason, missingTexts } from '../../../shared/model/lookup.ts';
import { formatDollars } from '../../../shared/model/money.ts';
import type { UserProfile } from '../../../shared/model/user.ts';
import type { Session } from '../execute/session.ts';
import { AccountRef, CapabilitiesRef, readAccount, readCapabilities } from './account.ts';
import { listCall, oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { argsOf } from './inputs.ts';
import {
  ListRef,
  TweetConnection,
  TweetRef,
  type TweetSource,
  UserConnection,
  UserRef,
  type UserSource,
} from './refs.ts';
import { enumOf, objectOf } from './zod-types.ts';

enumOf('SearchProduct', searchProduct, 'The order of a search result.', (product) =>
  product === 'Latest' ? 'Newest first.' : 'Most engaging first.',
);

const RateLimitRef = builder.objectRef<Session['terms']>('RateLimit');

builder.objectType(RateLimitRef, {
  description: 'The limits of the key and of this request. Free.',
  fields: (t) => ({
    limit: t.int({
      nullable: true,
      description: 'Maximum number of requests of the key in a window; null if there is no limit.',
      resolve: ({ rate }) => rate?.limit ?? null,
    }),
    remaining: t.int({
      nullable: true,
      description: 'Number of remaining requests.',
      resolve: ({ rate }) => rate?.remaining ?? null,
    }),
    windowSeconds: t.int({
      nullable: true,
      description: 'Length of the window in seconds.',
      resolve: ({ rate }) => rate?.windowSeconds ?? null,
    }),
    resetSeconds: t.int({
      nullable: true,
      description: 'Seconds until all requests are available again.',
      resolve: ({ rate }) => rate?.resetSeconds ?? null,
    }),
    cost: t.field({
      type: 'Credits',
      description: 'Maximum cost of this request.',
      resolve: ({ quoted }) => formatDollars(quoted),
    }),
    costLimit: t.field({
      type: 'Credits',
      description: 'Maximum cost that a request may have.',
      resolve: ({ costLimit }) => formatDollars(costLimit),
    }),
    balance: t.field({
      type: 'Credits',
      ...oneCall({
        action: balance,
        about: 'Credit that can be spent, without the credit that this request has reserved.',
        read: (found) => found.balance,
      }),
    }),
  }),
});

const lengthOf = (list: unknown) => (Array.isArray(list) ? list.length : 0);

/** Caches the profile for all other fields of the request that read the same user. */
function readProfile(profile: UserProfile, session: Session): UserSource {
  session.note(userInfo, { userId: profile.id }, profile);
  return profile;
}

enumOf('MissingReason', missingReason, 'Why a look-up has no object.', (reason) => `${missingTexts[reason]}.`);
objectOf('MissingTweet', missingTweet, { names: { id: 'tweetId' } });
objectOf('MissingUser', missingUser, { names: { id: 'userId' } });

const missingFirst = 'in the order of the request, without those that are missing.';
const TweetLookupRef = objectOf('TweetLookup', tweetLookup.output, {
  description: 'The result of a look-up of tweets.',
  omit: ['tweets'],
  fields: (t) => ({
    tweets: t.field({
      type: [TweetRef],
      description: `The tweets, ${missingFirst}`,
      resolve: ({ tweets }, _args, session): TweetSource[] => {
        session.noteTweets(tweets);
        return tweets;
      },
    }),
  }),
});
const UserLookupRef = objectOf('UserLookup', userLookup.output, {
  description: 'The result of a look-up of users.',
  omit: ['users'],
  fields: (t) => ({
    users: t.field({
      type: [UserRef],
      description: `The users, ${missingFirst}`,
      resolve: ({ users }, _args, session) => users.map((user) => readProfile(user, session)),
    }),
  }),
});

const tweets = { items: 'tweets', view: 'tweet' } as const;

builder.queryFields((t) => ({
  viewer: t.field({ type: UserRef, ...oneCall({ action: me, read: readProfile, view: 'profile' }) }),
  user: t.field({ type: UserRef, ...oneCall({ action: userInfo, read: readProfile, view: 'profile' }) }),
  tweet: t.field({
    type: TweetRef,
    ...oneCall({ action: tweetDetail, read: (found): TweetSource => found, view: 'tweet' }),
  }),
  tweets: t.field({
    type: TweetLookupRef,
    ...oneCall({ action: tweetLookup, view: 'tweet', size: ({ ids }) => lengthOf(ids) }),
  }),
  users: t.field({
    type: UserLookupRef,
    ...oneCall({
      action: userLookup,
      view: 'profile',
      size: ({ ids, userNames }) => lengthOf(ids) + lengthOf(userNames),
    }),
  }),
  searchTweets: t.field({ type: TweetConnection, ...listCall({ action: advancedSearch, ...tweets }) }),
  searchUsers: t.field({
    type: UserConnection,
    ...listCall({ action: searchUsers, items: 'users', view: 'card' }),
  }),
  homeTimeline: t.field({ type: TweetConnection, ...listCall({ action: homeTimeline, ...tweets }) }),
  bookmarks: t.field({ type: TweetConnection, ...listCall({ action: bookmarks, ...tweets }) }),
  mentions: t.field({ type: TweetConnection, ...listCall({ action: mentions, ...tweets }) }),
  list: t.field({
    type: ListRef,
    nullable: true,
    description: 'The list of users with this id. Free, but its members cost a call.',
    args: argsOf(listMembers, { omit: ['count', 'cursor'] }).args,
    resolve: (_root, { listId }) => ({ listId: String(listId) }),
  }),
  account: t.field({ type: AccountRef, ...readAccount }),
  capabilities: t.field({ type: CapabilitiesRef, ...readCapabilities }),
  rateLimit: t.field({
    type: RateLimitRef,
    nullable: true,
    description: 'The limits of the key and of this request. Free. Requires no actor.',
    resolve: (_root, _args, session) => session.terms,
  }),
}));
