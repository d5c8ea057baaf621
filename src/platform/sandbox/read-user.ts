import type { Author, UserCard, UserProfile } from '../../shared/model/user.ts';
import type { UserAbout } from '../../shared/model/user-about.ts';
import {
  flag,
  id,
  list,
  nullable,
  object,
  readCount,
  readIsoTime,
  readTweetTime,
  text,
  type Wire,
} from '../http/wire.ts';
import type { FollowState } from '../port.ts';

export function readAuthor(user: Wire): Author {
  const counts = object(user.counts, 'counts');
  const verification = object(user.verification, 'verification');
  return {
    type: 'user',
    id: id(user.id, 'id'),
    userName: text(user.screen_name, 'screen_name'),
    name: text(user.name, 'name'),
    url: nullable(text, user.website, 'website'),
    platformUrl: text(user.page_url, 'page_url'),
    isVerified: flag(verification.verified, 'verified'),
    isBlueVerified: flag(verification.premium, 'premium'),
    verifiedType: nullable(text, verification.kind, 'kind'),
    profilePicture: nullable(text, user.avatar_url, 'avatar_url'),
    coverPicture: nullable(text, user.banner_url, 'banner_url'),
    description: text(user.description, 'description'),
    location: nullable(text, user.location, 'location'),
    followers: readCount(counts.followers, 'followers'),
    following: readCount(counts.following, 'following'),
    favouritesCount: readCount(counts.favourites, 'favourites'),
    statusesCount: readCount(counts.tweets, 'tweets'),
    mediaCount: readCount(counts.media, 'media'),
    canDm: flag(object(user.viewer, 'viewer').can_dm, 'can_dm'),
    createdAt: readTweetTime(user.created_at, 'created_at'),
    pinnedTweetIds: readIds(user.pinned_tweet_ids, 'pinned_tweet_ids'),
  };
}

export function readProfile(user: Wire): UserProfile {
  const counts = object(user.counts, 'counts');
  const verification = object(user.verification, 'verification');
  return {
    id: id(user.id, 'id'),
    name: text(user.name, 'name'),
    userName: text(user.screen_name, 'screen_name'),
    location: nullable(text, user.location, 'location'),
    url: nullable(text, user.website, 'website'),
    description: text(user.description, 'description'),
    protected: flag(user.protected, 'protected'),
    isVerified: flag(verification.verified, 'verified'),
    isBlueVerified: flag(verification.premium, 'premium'),
    verifiedType: nullable(text, verification.kind, 'kind'),
    followers: readCount(counts.followers, 'followers'),
    following: readCount(counts.following, 'following'),
    favouritesCount: readCount(counts.favourites, 'favourites'),
    statusesCount: readCount(counts.tweets, 'tweets'),
    mediaCount: readCount(counts.media, 'media'),
    listedCount: readCount(counts.listed, 'listed'),
    createdAt: readIsoTime(user.created_at, 'created_at'),
    coverPicture: nullable(text, user.banner_url, 'banner_url'),
    profilePicture: nullable(text, user.avatar_url, 'avatar_url'),
    canDm: flag(object(user.viewer, 'viewer').can_dm, 'can_dm'),
    pinnedTweetIds: readIds(user.pinned_tweet_ids, 'pinned_tweet_ids'),
  };
}

function readCard(user: Wire): UserCard {
  const counts = object(user.counts, 'counts');
  const verification = object(user.verification, 'verification');
  return {
    type: 'user',
    id: id(user.id, 'id'),
    userName: text(user.screen_name, 'screen_name'),
    name: text(user.name, 'name'),
    url: nullable(text, user.website, 'website'),
    isVerified: flag(verification.verified, 'verified'),
    isBlueVerified: flag(verification.premium, 'premium'),
    verifiedType: nullable(text, verification.kind, 'kind'),
    protected: flag(user.protected, 'protected'),
    profilePicture: nullable(text, user.avatar_url, 'avatar_url'),
    coverPicture: nullable(text, user.banner_url, 'banner_url'),
    description: text(user.description, 'description'),
    location: nullable(text, user.location, 'location'),
    followers: readCount(counts.followers, 'followers'),
    following: readCount(counts.following, 'following'),
    tweets: readCount(counts.tweets, 'tweets'),
    listed: readCount(counts.listed, 'listed'),
    createdAt: readIsoTime(user.created_at, 'created_at'),
    canDm: flag(object(user.viewer, 'viewer').can_dm, 'can_dm'),
  };
}

export function readUserCards(page: Wire): UserCard[] {
  return list(page.users, 'users').map((user) => readCard(object(user, 'users[]')));
}

export function readAbout(about: Wire): UserAbout {
  const changes = object(about.username_changes, 'username_changes');
  return {
    id: id(about.id, 'id'),
    userName: text(about.screen_name, 'screen_name'),
    name: text(about.name, 'name'),
    profilePicture: nullable(text, about.avatar_url, 'avatar_url'),
    createdAt: readIsoTime(about.created_at, 'created_at'),
    isVerified: flag(about.verified, 'verified'),
    isBlueVerified: flag(about.premium, 'premium'),
    isIdentityVerified: flag(about.identity_verified, 'identity_verified'),
    verifiedSince: nullable(readIsoTime, about.verified_since, 'verified_since') ?? '',
    accountBasedIn: text(about.account_based_in, 'account_based_in'),
    createdVia: text(about.created_via, 'created_via'),
    usernameChanges: {
      count: readCount(changes.count, 'count'),
      lastChangedAt: nullable(readIsoTime, changes.last_changed_at, 'last_changed_at') ?? '',
    },
  };
}

export function readFollowState(body: Wire): FollowState {
  const user = object(body.user, 'user');
  return {
    id: id(user.id, 'id'),
    userName: text(user.screen_name, 'screen_name'),
    name: text(user.name, 'name'),
    following: flag(body.following, 'following'),
    followRequestSent: flag(body.follow_requested, 'follow_requested'),
    protected: flag(user.protected, 'protected'),
  };
}

/** More than any user can pin. */
const maxPinned = 16;

function readIds(value: unknown, field: string): string[] {
  return list(value, field, maxPinned).map((each) => text(each, field));
}
