import type { Action } from '../../../actions/action.ts';
import { about } from '../../../actions/user/about.ts';
import { affiliates } from '../../../actions/user/affiliates.ts';
import { articlesTweets } from '../../../actions/user/articles-tweets.ts';
import { followers } from '../../../actions/user/followers.ts';
import { followersYouKnow } from '../../../actions/user/followers-you-know.ts';
import { following } from '../../../actions/user/following.ts';
import { userInfo } from '../../../actions/user/info.ts';
import { tweetsAndReplies } from '../../../actions/user/tweets-and-replies.ts';
import type { Tweet } from '../../../shared/model/tweet.ts';
import type { UserAbout } from '../../../shared/model/user-about.ts';
import type { UserCard } from '../../../shared/model/user-card.ts';
import type { UserProfile } from '../../../shared/model/user-profile.ts';
import { costs, type View } from '../cost.ts';
import type { Session } from '../session.ts';
import { listCall, oneCall, pageArgs } from './bind.ts';
import { builder } from './builder.ts';
import { TweetConnection, type TweetSource, UserConnection, UserRef } from './refs.ts';
import { readTweet } from './tweet.ts';
import { UserAboutRef } from './user-about.ts';
import { fromCard, fromProfile, type UserSource } from './user-source.ts';

/** A field that not every view of a user carries: taken from the profile where it is missing. */
function fromProfileUnless<Field extends keyof UserSource>(field: Field, carriedBy: readonly View[]) {
  return {
    nullable: true as const,
    ...costs({ action: userInfo, carriedBy, shared: true }),
    resolve: (user: UserSource, _args: unknown, session: Session) =>
      (user[field] === undefined ? profileField(user, field, session) : user[field]) as NonNullable<UserSource[Field]>,
  };
}

async function profileField<Field extends keyof UserSource>(user: UserSource, field: Field, session: Session) {
  const profile = await session.read<UserProfile>(userInfo, { userId: user.id });
  return fromProfile(profile)[field];
}

function usersOf(action: Action, items: string) {
  return listCall<UserSource, UserCard, UserSource>({
    action,
    items,
    input: ({ id }) => (action === followersYouKnow ? { user_id: id } : { userId: id }),
    read: fromCard,
    view: 'card',
  });
}

function tweetsOf(action: Action) {
  return listCall<UserSource, Tweet, TweetSource>({
    action,
    items: 'tweets',
    input: ({ id }) => ({ userId: id }),
    read: readTweet,
    view: 'tweet',
  });
}

builder.node(UserRef, {
  description:
    'Somebody on the platform. Where a user comes from a list or a tweet, some fields are missing there: asking for one of them costs one call for each such user of the request.',
  id: { resolve: (user) => user.id },
  fields: (t) => ({
    userId: t.exposeString('id', { description: "The platform's id." }),
    userName: t.exposeString('userName', { description: 'Screen name, without @.' }),
    name: t.exposeString('name', { description: 'Name.' }),
    description: t.exposeString('description', {
      description: 'What the user says of themselves.',
      ...costs({ bytes: 160 }),
    }),
    location: t.exposeString('location', { nullable: true, description: 'Where the user says to be.' }),
    url: t.exposeString('url', { nullable: true, description: 'The link of the profile.' }),
    platformUrl: t.exposeString('platformUrl', {
      nullable: true,
      description: 'Address of the profile; known of authors only.',
    }),
    profilePicture: t.exposeString('profilePicture', { nullable: true, description: 'Address of the picture.' }),
    coverPicture: t.exposeString('coverPicture', { nullable: true, description: 'Address of the banner.' }),
    isVerified: t.exposeBoolean('isVerified', { description: 'True for who is verified.' }),
    isBlueVerified: t.exposeBoolean('isBlueVerified', { description: 'True for who is verified by paying.' }),
    verifiedType: t.exposeString('verifiedType', { nullable: true, description: 'Of whom: `business` and the like.' }),
    canDm: t.exposeBoolean('canDm', { description: 'True where the actor may write a direct message.' }),
    followersCount: t.exposeInt('followersCount', { description: 'Followers.' }),
    followingCount: t.exposeInt('followingCount', { description: 'Users whom this one follows.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', nullable: true, description: 'When the user joined.' }),
    protected: t.boolean({
      description: 'True where only approved followers see the tweets. Missing in a tweet’s author.',
      ...fromProfileUnless('protected', ['card', 'profile']),
    }),
    favouritesCount: t.int({
      description: 'Tweets that the user has liked. Missing in lists of users.',
      ...fromProfileUnless('favouritesCount', ['author', 'profile']),
    }),
    statusesCount: t.int({
      description: 'Tweets that the user has posted.',
      ...fromProfileUnless('statusesCount', ['author', 'card', 'profile']),
    }),
    mediaCount: t.int({
      description: 'Tweets with media. Missing in lists of users.',
      ...fromProfileUnless('mediaCount', ['author', 'profile']),
    }),
    listedCount: t.int({
      description: 'Lists that the user is on. Missing in a tweet’s author.',
      ...fromProfileUnless('listedCount', ['card', 'profile']),
    }),
    pinnedTweetIds: t.stringList({
      description: 'Ids of pinned tweets. Missing in lists of users.',
      ...fromProfileUnless('pinnedTweetIds', ['author', 'profile']),
    }),
    about: t.field({
      type: UserAboutRef,
      description: 'Where the account comes from. A call.',
      ...oneCall<UserSource, unknown, UserAbout, UserAbout>({
        action: about,
        input: ({ id }) => ({ userId: id }),
        read: (found) => found,
      }),
    }),
    followers: t.field({
      type: UserConnection,
      args: pageArgs,
      description: 'Who follows the user.',
      ...usersOf(followers, 'followers'),
    }),
    following: t.field({
      type: UserConnection,
      args: pageArgs,
      description: 'Whom the user follows.',
      ...usersOf(following, 'following'),
    }),
    followersYouKnow: t.field({
      type: UserConnection,
      args: pageArgs,
      description: 'Followers of the user whom the actor follows too.',
      ...usersOf(followersYouKnow, 'followers_you_know'),
    }),
    affiliates: t.field({
      type: UserConnection,
      args: pageArgs,
      description: 'Affiliated accounts of a verified organization.',
      ...usersOf(affiliates, 'affiliates'),
    }),
    tweets: t.field({
      type: TweetConnection,
      args: pageArgs,
      description: 'Tweets, replies and retweets, newest first.',
      ...tweetsOf(tweetsAndReplies),
    }),
    articles: t.field({
      type: TweetConnection,
      args: pageArgs,
      description: 'Published articles, as the tweets that carry them.',
      ...tweetsOf(articlesTweets),
    }),
  }),
});
