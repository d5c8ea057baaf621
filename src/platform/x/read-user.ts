import type { Author, UserCard, UserProfile } from '../../shared/model/user.ts';
import type { UserAbout } from '../../shared/model/user-about.ts';
import {
  flag,
  id,
  list,
  object,
  optional,
  readCount,
  readIsoTime,
  readTweetTime,
  text,
  type Wire,
} from '../http/wire.ts';
import type { UserName } from '../port.ts';
import type { XFeatures } from './features.ts';

const none: Wire = {};

export function readUserName(user: Wire): UserName {
  return { id: id(user.id, 'id'), userName: text(user.username, 'username') };
}

/** `url` is a short link of X. The website is among the entities. */
function websiteOf(user: Wire): string | null {
  const entities = optional(object, user.entities, 'entities', none);
  const [link] = optional(list, optional(object, entities.url, 'entities.url', none).urls, 'entities.url.urls', []);
  const expanded = optional(object, link, 'entities.url.urls[]', none).expanded_url;
  return optional(text, expanded ?? user.url, 'url', '') || null;
}

/** The largest picture has the name of the small one without its suffix. */
function pictureOf(user: Wire): string | null {
  return optional(text, user.profile_image_url, 'profile_image_url', null)?.replace(/_normal(\.\w+)$/, '$1') ?? null;
}

/** More than any user can pin. */
const maxPinned = 16;

/** X has one pinned post. The sandbox's extension has all. */
function pinnedOf(user: Wire): string[] {
  const all = user.pinned_post_ids ?? user.pinned_tweet_ids;
  if (all !== undefined) return list(all, 'pinned_post_ids', maxPinned).map((each) => id(each, 'pinned_post_ids'));
  const one = optional(id, user.pinned_post_id ?? user.pinned_tweet_id, 'pinned_post_id', null);
  return one === null ? [] : [one];
}

const counted = (value: unknown, field: string) => optional(readCount, value, field, 0);

/** X's types are `blue`, `business`, `government` and `none`. */
function verificationOf(user: Wire) {
  const type = optional(text, user.verified_type, 'verified_type', 'none');
  const isOrganization = type !== 'none' && type !== 'blue';
  return { isVerified: isOrganization, isBlueVerified: type === 'blue', verifiedType: isOrganization ? type : null };
}

/** Stands for a time that X leaves out, although it is always asked for (docs/x.md, Differences). */
const unknownTime = '1970-01-01T00:00:00.000Z';

export function readAuthor(user: Wire, { pages }: XFeatures): Author {
  const counts = optional(object, user.public_metrics, 'public_metrics', none);
  const { isVerified, isBlueVerified, verifiedType } = verificationOf(user);
  const userName = text(user.username, 'username');
  return {
    type: 'user',
    id: id(user.id, 'id'),
    userName,
    name: text(user.name, 'name'),
    url: websiteOf(user),
    platformUrl: `${pages.platformUrl}/${userName}`,
    isVerified,
    isBlueVerified,
    verifiedType,
    profilePicture: pictureOf(user),
    coverPicture: optional(text, user.profile_banner_url, 'profile_banner_url', null),
    description: optional(text, user.description, 'description', ''),
    location: optional(text, user.location, 'location', null),
    followers: counted(counts.followers_count, 'followers_count'),
    following: counted(counts.following_count, 'following_count'),
    favouritesCount: counted(counts.like_count, 'like_count'),
    statusesCount: counted(counts.post_count ?? counts.tweet_count, 'post_count'),
    mediaCount: counted(counts.media_count, 'media_count'),
    canDm: optional(flag, user.receives_your_dm, 'receives_your_dm', false),
    createdAt: optional(readTweetTime, user.created_at, 'created_at', null),
    pinnedTweetIds: pinnedOf(user),
  };
}

/** Reads a profile. The order of the fields is that of docs/rest.md, Shapes. */
export function readProfile(user: Wire, features: XFeatures): UserProfile {
  const author = readAuthor(user, features);
  const counts = optional(object, user.public_metrics, 'public_metrics', none);
  return {
    id: author.id,
    name: author.name,
    userName: author.userName,
    location: author.location,
    url: author.url,
    description: author.description,
    protected: optional(flag, user.protected, 'protected', false),
    isVerified: author.isVerified,
    isBlueVerified: author.isBlueVerified,
    verifiedType: author.verifiedType,
    followers: author.followers,
    following: author.following,
    favouritesCount: author.favouritesCount,
    statusesCount: author.statusesCount,
    mediaCount: author.mediaCount,
    listedCount: counted(counts.listed_count, 'listed_count'),
    createdAt: optional(readIsoTime, user.created_at, 'created_at', unknownTime),
    coverPicture: author.coverPicture,
    profilePicture: author.profilePicture,
    canDm: author.canDm,
    pinnedTweetIds: author.pinnedTweetIds,
  };
}

export function readCard(user: Wire): UserCard {
  const counts = optional(object, user.public_metrics, 'public_metrics', none);
  const { isVerified, isBlueVerified, verifiedType } = verificationOf(user);
  return {
    type: 'user',
    id: id(user.id, 'id'),
    userName: text(user.username, 'username'),
    name: text(user.name, 'name'),
    url: websiteOf(user),
    isVerified,
    isBlueVerified,
    verifiedType,
    protected: optional(flag, user.protected, 'protected', false),
    profilePicture: pictureOf(user),
    coverPicture: optional(text, user.profile_banner_url, 'profile_banner_url', null),
    description: optional(text, user.description, 'description', ''),
    location: optional(text, user.location, 'location', null),
    followers: counted(counts.followers_count, 'followers_count'),
    following: counted(counts.following_count, 'following_count'),
    tweets: counted(counts.post_count ?? counts.tweet_count, 'post_count'),
    listed: counted(counts.listed_count, 'listed_count'),
    createdAt: optional(readIsoTime, user.created_at, 'created_at', unknownTime),
    canDm: optional(flag, user.receives_your_dm, 'receives_your_dm', false),
  };
}

/** `about` has the sandbox's extensions. X does not show how an account was made. */
export function readAbout(user: Wire, about = none): UserAbout {
  const { id, userName, name, profilePicture, createdAt, isVerified, isBlueVerified } = readCard(user);
  const changes = optional(object, about.username_changes, 'username_changes', none);
  const time = (value: unknown, field: string) => optional(readIsoTime, value, field, '');
  return {
    id,
    userName,
    name,
    profilePicture,
    createdAt,
    isVerified,
    isBlueVerified,
    isIdentityVerified: optional(flag, user.is_identity_verified, 'is_identity_verified', false),
    verifiedSince: time(about.verified_since, 'verified_since'),
    accountBasedIn: optional(text, about.account_based_in, 'account_based_in', ''),
    createdVia: optional(text, about.created_via, 'created_via', ''),
    usernameChanges: {
      count: counted(changes.count, 'count'),
      lastChangedAt: time(changes.last_changed_at, 'last_changed_at'),
    },
  };
}
