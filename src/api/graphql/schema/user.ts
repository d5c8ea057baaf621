import { z } from 'zod';
import type { Action } from '../../../actions/action.ts';
import { about } from '../../../actions/user/about.ts';
import { affiliates } from '../../../actions/user/affiliates.ts';
import { articlesTweets } from '../../../actions/user/articles-tweets.ts';
import { followers } from '../../../actions/user/followers.ts';
import { followersYouKnow } from '../../../actions/user/followers-you-know.ts';
import { following } from '../../../actions/user/following.ts';
import { userInfo } from '../../../actions/user/info.ts';
import { tweetsAndReplies } from '../../../actions/user/tweets-and-replies.ts';
import { otherUserFields, userFields } from '../../../shared/model/user-fields.ts';
import type { UserProfile } from '../../../shared/model/user-profile.ts';
import { costs, type UserView } from '../cost.ts';
import type { Session } from '../session.ts';
import { listCall, oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { TweetConnection, UserConnection, UserRef } from './refs.ts';
import { loadTweet } from './tweet.ts';
import { UserAboutRef } from './user-about.ts';
import { fromCard, fromProfile, type UserSource } from './user-source.ts';
import { fieldsOf, schemaDescription } from './zod-types.ts';

/** Declares a field that some views of a user lack. For these views, its resolver reads the profile. */
function fromProfileUnless<Field extends keyof UserSource & keyof typeof otherUserFields>(
  field: Field,
  carriedBy: readonly UserView[],
) {
  const missing = carriedBy.includes('author') ? 'in lists of users' : "in a tweet's author";
  const isEverywhere = carriedBy.length === 3;
  return {
    nullable: true as const,
    description: `${schemaDescription(otherUserFields[field])}${isEverywhere ? '' : ` Missing ${missing}.`}`,
    ...costs({ action: userInfo, carriedBy, shared: true }),
    resolve: (user: UserSource, _args: unknown, session: Session) =>
      (user[field] === undefined ? profileField(user, field, session) : user[field]) as NonNullable<UserSource[Field]>,
  };
}

async function profileField<Field extends keyof UserSource>(user: UserSource, field: Field, session: Session) {
  const profile = await session.read<UserProfile>(userInfo, { userId: user.id });
  return fromProfile(profile)[field];
}

const byId = ({ id }: UserSource) => ({ userId: id });

function usersOf(action: Action, items: string, input: (user: UserSource) => Record<string, unknown> = byId) {
  return { type: UserConnection, ...listCall({ action, items, input, read: fromCard, view: 'card' }) };
}

function tweetsOf(action: Action) {
  return {
    type: TweetConnection,
    ...listCall({ action, items: 'tweets', input: byId, read: loadTweet, view: 'tweet' }),
  };
}

const { followers: followersCount, following: followingCount, ...sameNames } = userFields;

builder.node(UserRef, {
  description:
    'A user of the platform. Users of lists and tweets lack some fields. Selecting one of these fields costs one call for each such user.',
  id: { resolve: ({ id }) => id },
  fields: (t) => ({
    ...fieldsOf(t, z.object(sameNames), { names: { id: 'userId' } }),
    platformUrl: t.exposeString('platformUrl', {
      nullable: true,
      description: `${schemaDescription(otherUserFields.platformUrl)} Known for the author of a tweet only.`,
    }),
    followersCount: t.exposeInt('followersCount', { description: schemaDescription(followersCount) }),
    followingCount: t.exposeInt('followingCount', { description: schemaDescription(followingCount) }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: schemaDescription(otherUserFields.createdAt),
    }),
    protected: t.boolean(fromProfileUnless('protected', ['card', 'profile'])),
    favouritesCount: t.int(fromProfileUnless('favouritesCount', ['author', 'profile'])),
    statusesCount: t.int(fromProfileUnless('statusesCount', ['author', 'card', 'profile'])),
    mediaCount: t.int(fromProfileUnless('mediaCount', ['author', 'profile'])),
    listedCount: t.int(fromProfileUnless('listedCount', ['card', 'profile'])),
    pinnedTweetIds: t.stringList(fromProfileUnless('pinnedTweetIds', ['author', 'profile'])),
    about: t.field({ type: UserAboutRef, ...oneCall({ action: about, input: byId }) }),
    followers: t.field(usersOf(followers, 'followers')),
    following: t.field(usersOf(following, 'following')),
    followersYouKnow: t.field(usersOf(followersYouKnow, 'followers_you_know', ({ id }) => ({ user_id: id }))),
    affiliates: t.field(usersOf(affiliates, 'affiliates')),
    tweets: t.field(tweetsOf(tweetsAndReplies)),
    articles: t.field(tweetsOf(articlesTweets)),
  }),
});
