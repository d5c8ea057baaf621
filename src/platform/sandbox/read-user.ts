import type { Author } from '../../model/author.ts';
import type { UserProfile } from '../../model/user-profile.ts';
import { count, flag, id, list, NonsenseError, nullable, object, text, time, tweetTime, type Wire } from './wire.ts';

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
    createdAt: time(user, 'created_at').toISOString(),
    coverPicture: nullable(text, user, 'banner_url'),
    profilePicture: nullable(text, user, 'avatar_url'),
    canDm: flag(object(user, 'viewer'), 'can_dm'),
    pinnedTweetIds: readIds(user, 'pinned_tweet_ids'),
  };
}

function readIds(from: Wire, field: string): string[] {
  return list(from, field).map((value) => {
    if (typeof value !== 'string') throw new NonsenseError(`${field} holds something that is not an id`);
    return value;
  });
}
