import { z } from 'zod';
import type { Action, OutputOf } from '../../../actions/action.ts';
import { listMembers } from '../../../actions/list/members.ts';
import { followersYouKnow } from '../../../actions/user/followers-you-know.ts';
import { about, userInfo } from '../../../actions/user/profiles.ts';
import { block, follow, mute, unblock, unfollow, unmute } from '../../../actions/user/relations.ts';
import {
  affiliates,
  articlesTweets,
  followers,
  following,
  tweetsAndReplies,
  userLikes,
} from '../../../actions/user/user-lists.ts';
import { otherUserFields, type UserProfile, userFields } from '../../../shared/model/user.ts';
import { userAbout, usernameChanges } from '../../../shared/model/user-about.ts';
import { costs, type UserView } from '../document/cost.ts';
import type { Session } from '../execute/session.ts';
import { listCall, oneCall } from './bind.ts';
import { mutation } from './mutation.ts';
import { ListRef, nodeType, TweetConnection, UserConnection, UserRef, type UserSource } from './refs.ts';
import { fieldsOf, objectOf, schemaDescription } from './zod-types.ts';

const { lastChangedAt, count } = usernameChanges.shape;

objectOf('UsernameChanges', usernameChanges);

const UserAboutRef = objectOf('UserAbout', userAbout, {
  omit: ['id', 'userName', 'name', 'profilePicture'],
  fields: (t) => ({
    usernameChangeCount: t.int({
      deprecationReason: 'Use `usernameChanges { count }`.',
      description: schemaDescription(count),
      resolve: (about) => about.usernameChanges.count,
    }),
    usernameLastChangedAt: t.field({
      type: 'DateTime',
      nullable: true,
      deprecationReason: 'Use `usernameChanges { lastChangedAt }`.',
      description: schemaDescription(lastChangedAt),
      resolve: (about) => about.usernameChanges.lastChangedAt || null,
    }),
  }),
});

/** User cards have different names for these fields. */
const cardNames: Partial<Record<keyof UserSource, 'tweets' | 'listed'>> = {
  statusesCount: 'tweets',
  listedCount: 'listed',
};

function knownValue<Field extends keyof UserSource>(user: UserSource, field: Field): UserSource[Field] {
  const inCards = cardNames[field];
  return user[field] ?? (inCards && (user[inCards] as UserSource[Field]));
}

/** Declares a field that some views of a user lack. For these views, its resolver reads the profile. */
function fromProfileUnless<Field extends keyof UserProfile & keyof typeof otherUserFields>(
  field: Field,
  carriedBy: readonly UserView[],
) {
  const missing = carriedBy.includes('author') ? 'in lists of users' : "in a tweet's author";
  const isEverywhere = carriedBy.length === 3;
  return {
    nullable: true as const,
    description: `${schemaDescription(otherUserFields[field])}${isEverywhere ? '' : ` Missing ${missing}.`}`,
    ...costs({ action: userInfo, carriedBy, shared: true, ...(field === 'pinnedTweetIds' && { needs: 'pinned' }) }),
    resolve: (user: UserSource, _args: unknown, session: Session) =>
      (knownValue(user, field) ?? profileField(user, field, session)) as NonNullable<UserSource[Field]>,
  };
}

async function profileField(user: UserSource, field: keyof UserProfile, session: Session) {
  return (await session.read<UserProfile>(userInfo, { userId: user.id }))[field];
}

const byId = ({ id }: UserSource) => ({ userId: id });

function usersOf(action: Action, items: string, input: (user: UserSource) => Record<string, unknown> = byId) {
  return { type: UserConnection, ...listCall({ action, items, input, view: 'card' }) };
}

function tweetsOf(action: Action) {
  return {
    type: TweetConnection,
    ...listCall({ action, items: 'tweets', input: byId, view: 'tweet' }),
  };
}

const { followers: followersCount, following: followingCount, ...sameNames } = userFields;

nodeType(UserRef, {
  description:
    'A user of the platform. Users of lists and tweets lack some fields. Selecting one of these fields costs one call for each such user.',
  id: ({ id }) => id,
  fields: (t) => ({
    ...fieldsOf(t, z.object(sameNames), { names: { id: 'userId' } }),
    platformUrl: t.exposeString('platformUrl', {
      nullable: true,
      description: `${schemaDescription(otherUserFields.platformUrl)} Known for the author of a tweet only.`,
    }),
    followersCount: t.exposeInt('followers', { description: schemaDescription(followersCount) }),
    followingCount: t.exposeInt('following', { description: schemaDescription(followingCount) }),
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
    likes: t.field(tweetsOf(userLikes)),
  }),
});

nodeType(ListRef, {
  description: 'A list of users.',
  id: (list) => list.listId,
  fields: (t) => ({
    listId: t.exposeString('listId', { description: "The platform's id of the list." }),
    members: t.field({
      type: UserConnection,
      ...listCall({
        action: listMembers,
        items: 'members',
        input: ({ listId }: { listId: string }) => ({ listId }),
        view: 'card',
      }),
    }),
  }),
});

for (const [field, action, ...known] of [
  ['followUser', follow, 'protected'],
  ['unfollowUser', unfollow, 'protected'],
  ['blockUser', block],
  ['unblockUser', unblock],
  ['muteUser', mute],
  ['unmuteUser', unmute],
] as const) {
  mutation(field, action, {
    payload: {
      fields: (t) => ({
        user: t.field({
          type: UserRef,
          ...oneCall({
            action: userInfo,
            about: 'The user.',
            input: ({ userId }: OutputOf<typeof block>) => ({ userId }),
            read: (profile): UserSource => profile,
            view: 'profile',
            atHand: {
              known: ['id', 'userId', 'userName', 'name', ...known],
              source: ({ userId, ...known }) => ({ ...known, id: userId }) as unknown as UserSource,
            },
          }),
        }),
      }),
    },
  });
}
