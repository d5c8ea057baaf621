import type { Author } from '../../../shared/model/author.ts';
import type { UserCard } from '../../../shared/model/user-card.ts';
import type { UserProfile } from '../../../shared/model/user-profile.ts';

/**
 * A user as one response of the platform describes it. A field is `undefined` if the response does not contain it, and `null` if the user
 * has no value for it.
 */
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

/**
 * The fields that all views of a user share. They are getters, because a view is created for every author of every tweet and few fields are
 * read.
 */
abstract class View<Data extends Author | UserCard | UserProfile> {
  protected readonly data: Data;

  constructor(data: Data) {
    this.data = data;
  }

  get id() {
    return this.data.id;
  }
  get userName() {
    return this.data.userName;
  }
  get name() {
    return this.data.name;
  }
  get description() {
    return this.data.description;
  }
  get location() {
    return this.data.location;
  }
  get url() {
    return this.data.url;
  }
  get platformUrl(): string | null {
    return null;
  }
  get profilePicture() {
    return this.data.profilePicture;
  }
  get coverPicture() {
    return this.data.coverPicture;
  }
  get isVerified() {
    return this.data.isVerified;
  }
  get isBlueVerified() {
    return this.data.isBlueVerified;
  }
  get verifiedType() {
    return this.data.verifiedType;
  }
  get canDm() {
    return this.data.canDm;
  }
  get followersCount() {
    return this.data.followers;
  }
  get followingCount() {
    return this.data.following;
  }
  get createdAt(): string | null {
    return this.data.createdAt;
  }
}

/** Counts that authors and profiles have, but cards do not. */
abstract class CountedView<Data extends Author | UserProfile> extends View<Data> {
  get favouritesCount() {
    return this.data.favouritesCount;
  }
  get statusesCount() {
    return this.data.statusesCount;
  }
  get mediaCount() {
    return this.data.mediaCount;
  }
}

class AuthorView extends CountedView<Author> implements UserSource {
  override get platformUrl() {
    return this.data.platformUrl;
  }
  get protected() {
    return undefined;
  }
  get listedCount() {
    return undefined;
  }
  get pinnedTweetIds() {
    return this.data.pinnedTweetIds;
  }
}

class CardView extends View<UserCard> implements UserSource {
  get protected() {
    return this.data.protected;
  }
  get favouritesCount() {
    return undefined;
  }
  get statusesCount() {
    return this.data.tweets;
  }
  get mediaCount() {
    return undefined;
  }
  get listedCount() {
    return this.data.listed;
  }
  get pinnedTweetIds() {
    return undefined;
  }
}

class ProfileView extends CountedView<UserProfile> implements UserSource {
  get protected() {
    return this.data.protected;
  }
  get listedCount() {
    return this.data.listedCount;
  }
  get pinnedTweetIds() {
    return this.data.pinnedTweetIds;
  }
}

export function fromAuthor(author: Author): UserSource {
  return new AuthorView(author);
}

export function fromCard(card: UserCard): UserSource {
  return new CardView(card);
}

export function fromProfile(profile: UserProfile): UserSource {
  return new ProfileView(profile);
}
