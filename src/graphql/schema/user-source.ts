import type { Author } from '../../model/author.ts';
import type { UserCard } from '../../model/user-card.ts';
import type { UserProfile } from '../../model/user-profile.ts';
import { isoTime } from './time.ts';

/** A user, as far as the data at hand tells: `undefined` is not loaded, `null` is known to be absent. */
export interface UserSource {
  readonly id: string;
  readonly userName: string;
  readonly name: string;
  readonly description: string;
  readonly location: string | null;
  readonly url: string | null;
  readonly platformUrl: string | null;
  readonly profilePicture: string | null;
  readonly coverPicture: string | null;
  readonly isVerified: boolean;
  readonly isBlueVerified: boolean;
  readonly verifiedType: string | null;
  readonly canDm: boolean;
  readonly followersCount: number;
  readonly followingCount: number;
  readonly createdAt: string | null;
  readonly protected: boolean | undefined;
  readonly favouritesCount: number | undefined;
  readonly statusesCount: number | undefined;
  readonly mediaCount: number | undefined;
  readonly listedCount: number | undefined;
  readonly pinnedTweetIds: readonly string[] | undefined;
}

/** What the views of a user have in common; each says for itself what it lacks. */
function common(user: Author | UserCard | UserProfile) {
  return {
    id: user.id,
    userName: user.userName,
    name: user.name,
    description: user.description,
    location: user.location,
    url: user.url,
    profilePicture: user.profilePicture,
    coverPicture: user.coverPicture,
    isVerified: user.isVerified,
    isBlueVerified: user.isBlueVerified,
    verifiedType: user.verifiedType,
    canDm: user.canDm,
    followersCount: user.followers,
    followingCount: user.following,
  };
}

export function fromAuthor(author: Author): UserSource {
  return {
    ...common(author),
    platformUrl: author.platformUrl,
    createdAt: author.createdAt && isoTime(author.createdAt),
    protected: undefined,
    favouritesCount: author.favouritesCount,
    statusesCount: author.statusesCount,
    mediaCount: author.mediaCount,
    listedCount: undefined,
    pinnedTweetIds: author.pinnedTweetIds,
  };
}

export function fromCard(card: UserCard): UserSource {
  return {
    ...common(card),
    platformUrl: null,
    createdAt: card.createdAt,
    protected: card.protected,
    favouritesCount: undefined,
    statusesCount: card.tweets,
    mediaCount: undefined,
    listedCount: card.listed,
    pinnedTweetIds: undefined,
  };
}

export function fromProfile(profile: UserProfile): UserSource {
  return {
    ...common(profile),
    platformUrl: null,
    createdAt: profile.createdAt,
    protected: profile.protected,
    favouritesCount: profile.favouritesCount,
    statusesCount: profile.statusesCount,
    mediaCount: profile.mediaCount,
    listedCount: profile.listedCount,
    pinnedTweetIds: profile.pinnedTweetIds,
  };
}
