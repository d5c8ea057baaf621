import { z } from 'zod';
import { count, isoTime, numericId, tweetTime, userId, userName } from './scalars.ts';

const text = z.string();
const flag = z.boolean();

/** The fields that authors, cards and profiles of users share (docs/rest.md, Shapes). */
export const userFields = {
  id: userId,
  userName,
  name: text.meta({ description: 'Name of the user.' }),
  description: text.meta({ description: 'Self-description of the user.' }),
  location: text.nullable().meta({ description: 'Location that the user states.' }),
  url: text.nullable().meta({ description: 'Website of the user.' }),
  profilePicture: text.nullable().meta({ description: 'Address of the profile picture.' }),
  coverPicture: text.nullable().meta({ description: 'Address of the banner.' }),
  isVerified: flag.meta({ description: 'True if the user is verified.' }),
  isBlueVerified: flag.meta({ description: 'True if the user is verified by a paid subscription.' }),
  verifiedType: text.nullable().meta({ description: 'Kind of verified account, such as `business`.' }),
  canDm: flag.meta({ description: 'True if the actor may send the user direct messages.' }),
  followers: count.meta({ description: 'Number of followers.' }),
  following: count.meta({ description: 'Number of users whom this user follows.' }),
};

/** Fields that only some of the user shapes have. */
export const otherUserFields = {
  platformUrl: text.nullable().meta({ description: "Address of the user's page on the platform." }),
  protected: flag.meta({ description: 'True if only approved followers see the tweets.' }),
  favouritesCount: count.meta({ description: 'Number of tweets that the user has liked.' }),
  statusesCount: count.meta({ description: 'Number of tweets that the user has posted.' }),
  mediaCount: count.meta({ description: 'Number of tweets with media.' }),
  listedCount: count.meta({ description: 'Number of lists that the user is on.' }),
  pinnedTweetIds: z.array(numericId).meta({ description: 'Ids of pinned tweets.' }),
  createdAt: isoTime.meta({ description: 'When the user joined.' }),
};

/** The author of a tweet (docs/rest.md, Shapes). */
export const author = z
  .object({
    type: z.literal('user'),
    ...userFields,
    platformUrl: otherUserFields.platformUrl,
    favouritesCount: otherUserFields.favouritesCount,
    statusesCount: otherUserFields.statusesCount,
    mediaCount: otherUserFields.mediaCount,
    createdAt: tweetTime.nullable().meta({ description: 'When the user joined.' }),
    pinnedTweetIds: otherUserFields.pinnedTweetIds,
  })
  .meta({ id: 'Author' });

export type Author = z.infer<typeof author>;

/** A user in a list of users (docs/rest.md, Shapes). */
export const userCard = z
  .object({
    type: z.literal('user'),
    ...userFields,
    protected: otherUserFields.protected,
    tweets: otherUserFields.statusesCount,
    listed: otherUserFields.listedCount,
    createdAt: otherUserFields.createdAt,
  })
  .meta({ id: 'UserCard' });

export type UserCard = z.infer<typeof userCard>;

const { platformUrl: _ofAuthors, ...profileFields } = otherUserFields;

/** The complete profile of a user (docs/rest.md, Shapes). */
export const userProfile = z.object({ ...userFields, ...profileFields }).meta({ id: 'UserProfile' });

export type UserProfile = z.infer<typeof userProfile>;
