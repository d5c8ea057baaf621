import { balance } from '../../../actions/account/balance.ts';
import { listMembers } from '../../../actions/list/members.ts';
import { advancedSearch, searchProduct } from '../../../actions/tweet/advanced-search.ts';
import { tweetDetail } from '../../../actions/tweet/detail.ts';
import { bookmarks } from '../../../actions/user/bookmarks.ts';
import { homeTimeline } from '../../../actions/user/home-timeline.ts';
import { userInfo } from '../../../actions/user/info.ts';
import { me } from '../../../actions/user/me.ts';
import { mentions } from '../../../actions/user/mentions.ts';
import { searchUsers } from '../../../actions/user/search.ts';
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
import { enumOf } from './zod-types.ts';

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

/** Caches the profile for all other fields of the request that read the same user. */
function readProfile(profile: UserProfile, session: Session): UserSource {
  session.note(userInfo, { userId: profile.id }, profile);
  return profile;
}

const tweets = { items: 'tweets', view: 'tweet' } as const;

builder.queryFields((t) => ({
  viewer: t.field({ type: UserRef, ...oneCall({ action: me, read: readProfile, view: 'profile' }) }),
  user: t.field({ type: UserRef, ...oneCall({ action: userInfo, read: readProfile, view: 'profile' }) }),
  tweet: t.field({
    type: TweetRef,
    ...oneCall({ action: tweetDetail, read: (found): TweetSource => found, view: 'tweet' }),
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
