import type { Author } from '../../shared/model/author.ts';
import type { UserAbout } from '../../shared/model/user-about.ts';
import type { UserCard } from '../../shared/model/user-card.ts';
import type { UserProfile } from '../../shared/model/user-profile.ts';
import type { FollowState } from '../port.ts';
import { count, flag, id, isoTime, list, NonsenseError, nullable, object, text, tweetTime, type Wire } from './wire.ts';

export function readAuthor(user: Wire): Author {
  const counts = object(user, 'counts');
  const verification = object(user, 'verification');
  return {
    type: 'user',
    id: id(user, 'id'),
    userName: text(user, 'screen_name'),
    name: text(user, 'name'),
    url: nullable(text, user, 'website'),
    platformUrl: text(user, 'page_url'),
    isVerified: flag(verification, 'verified'),
    isBlueVerified: flag(verification, 'premium'),
    verifiedType: nullable(text, verification, 'kind'),
    profilePicture: nullable(text, user, 'avatar_url'),
    coverPicture: nullable(text, user, 'banner_url'),
    description: text(user, 'description'),
    location: nullable(text, user, 'location'),
    followers: count(counts, 'followers'),
    following: count(counts, 'following'),
    favouritesCount: count(counts, 'favourites'),
    statusesCount: count(counts, 'tweets'),
    mediaCount: count(counts, 'media'),
    canDm: flag(object(user, 'viewer'), 'can_dm'),
    createdAt: tweetTime(user, 'created_at'),
    pinnedTweetIds: readIds(user, 'pinned_tweet_ids'),
  };
}

export function readProfile(user: Wire): UserProfile {
  const counts = object(user, 'counts');
  const verification = object(user, 'verification');
  return {
    id: id(user, 'id'),
    name: text(user, 'name'),
    userName: text(user, 'screen_name'),
    location: nullable(text, user, 'location'),
    url: nullable(text, user, 'website'),
    description: text(user, 'description'),
    protected: flag(user, 'protected'),
    isVerified: flag(verification, 'verified'),
    isBlueVerified: flag(verification, 'premium'),
    verifiedType: nullable(text, verification, 'kind'),
    followers: count(counts, 'followers'),
    following: count(counts, 'following'),
    favouritesCount: count(counts, 'favourites'),
    statusesCount: count(counts, 'tweets'),
    mediaCount: count(counts, 'media'),
    listedCount: count(counts, 'listed'),
    createdAt: isoTime(user, 'created_at'),
    coverPicture: nullable(text, user, 'banner_url'),
    profilePicture: nullable(text, user, 'avatar_url'),
    canDm: flag(object(user, 'viewer'), 'can_dm'),
    pinnedTweetIds: readIds(user, 'pinned_tweet_ids'),
  };
}

export function readCard(user: Wire): UserCard {
  const counts = object(user, 'counts');
  const verification = object(user, 'verification');
  return {
    type: 'user',
    id: id(user, 'id'),
    userName: text(user, 'screen_name'),
    name: text(user, 'name'),
    url: nullable(text, user, 'website'),
    isVerified: flag(verification, 'verified'),
    isBlueVerified: flag(verification, 'premium'),
    verifiedType: nullable(text, verification, 'kind'),
    protected: flag(user, 'protected'),
    profilePicture: nullable(text, user, 'avatar_url'),
    coverPicture: nullable(text, user, 'banner_url'),
    description: text(user, 'description'),
    location: nullable(text, user, 'location'),
    followers: count(counts, 'followers'),
    following: count(counts, 'following'),
    tweets: count(counts, 'tweets'),
    listed: count(counts, 'listed'),
    createdAt: isoTime(user, 'created_at'),
    canDm: flag(object(user, 'viewer'), 'can_dm'),
  };
}

export function readAbout(about: Wire): UserAbout {
  const changes = object(about, 'username_changes');
  return {
    id: id(about, 'id'),
    userName: text(about, 'screen_name'),
    name: text(about, 'name'),
    profilePicture: nullable(text, about, 'avatar_url'),
    createdAt: isoTime(about, 'created_at'),
    isVerified: flag(about, 'verified'),
    isBlueVerified: flag(about, 'premium'),
    isIdentityVerified: flag(about, 'identity_verified'),
    verifiedSince: nullable(isoTime, about, 'verified_since') ?? '',
    accountBasedIn: text(about, 'account_based_in'),
    createdVia: text(about, 'created_via'),
    usernameChanges: {
      count: count(changes, 'count'),
      lastChangedAt: nullable(isoTime, changes, 'last_changed_at') ?? '',
    },
  };
}

export function readFollowState(body: Wire): FollowState {
  const user = object(body, 'user');
  return {
    id: id(user, 'id'),
    userName: text(user, 'screen_name'),
    name: text(user, 'name'),
    following: flag(body, 'following'),
    followRequestSent: flag(body, 'follow_requested'),
    protected: flag(user, 'protected'),
  };
}

function readIds(from: Wire, field: string): string[] {
  return list(from, field).map((value) => {
    if (typeof value !== 'string') throw new NonsenseError(`${field} holds something that is not an id`);
    return value;
  });
}
