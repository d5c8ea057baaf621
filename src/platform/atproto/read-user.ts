import type * as Actor from '@atcute/bluesky/types/app/actor/defs';
import { formatTweetTime } from '../../shared/model/time.ts';
import type { Author, UserCard, UserProfile } from '../../shared/model/user.ts';
import type { UserAbout } from '../../shared/model/user-about.ts';
import type { IdentityHistory } from './audit-log.ts';
import type { Ids } from './ids.ts';

export type ProfileView = Actor.ProfileViewDetailed;

/** Returns true if the network trusts the account to verify others. */
export function isVerifier({ verification }: ProfileView): boolean {
  return verification?.trustedVerifierStatus === 'valid';
}

const isVerified = (view: ProfileView) => view.verification?.verifiedStatus === 'valid' || isVerifier(view);

/** A user is part of each of its posts, so its addresses must be short. The lexicon allows 8,192 bytes. */
const maxAddress = 2_000;

const addressOf = (uri: string | undefined) => (uri !== undefined && uri.length <= maxAddress ? uri : null);

/** The fields that all three shapes of a user share. The network has no locations, paid verification or protected accounts. */
function common(view: ProfileView, ids: Ids) {
  const allow = view.associated?.chat?.allowIncoming;
  return {
    id: ids.ofUser(view.did) ?? '0',
    userName: view.handle,
    name: view.displayName || view.handle,
    description: view.description ?? '',
    location: null,
    url: addressOf(view.website),
    profilePicture: addressOf(view.avatar),
    coverPicture: addressOf(view.banner),
    isVerified: isVerified(view),
    isBlueVerified: false,
    verifiedType: isVerifier(view) ? 'trusted_verifier' : null,
    canDm: allow === 'all' || (allow === 'following' && view.viewer?.followedBy !== undefined),
    followers: view.followersCount ?? 0,
    following: view.followsCount ?? 0,
  };
}

const createdAtOf = (view: ProfileView) => new Date(view.createdAt ?? view.indexedAt ?? 0);

/** Counts that the network does not provide. */
const notCounted = { favouritesCount: 0, mediaCount: 0 };

function pinnedOf({ pinnedPost }: ProfileView, ids: Ids): string[] {
  const pinned = pinnedPost && ids.ofRecord(pinnedPost.uri);
  return pinned ? [pinned] : [];
}

export function profileFromView(view: ProfileView, ids: Ids): UserProfile {
  return {
    ...common(view, ids),
    ...notCounted,
    protected: false,
    statusesCount: view.postsCount ?? 0,
    listedCount: 0,
    createdAt: createdAtOf(view).toISOString(),
    pinnedTweetIds: pinnedOf(view, ids),
  };
}

export function cardFromView(view: ProfileView, ids: Ids): UserCard {
  return {
    type: 'user',
    ...common(view, ids),
    protected: false,
    tweets: view.postsCount ?? 0,
    listed: 0,
    createdAt: createdAtOf(view).toISOString(),
  };
}

export function authorFromView(view: ProfileView, ids: Ids): Author {
  return {
    type: 'user',
    ...common(view, ids),
    ...notCounted,
    platformUrl: `https://bsky.app/profile/${view.did}`,
    statusesCount: view.postsCount ?? 0,
    createdAt: view.createdAt === undefined ? null : formatTweetTime(new Date(view.createdAt)),
    pinnedTweetIds: pinnedOf(view, ids),
  };
}

/** The network does not know where an account is based, how it was created, and whether its owner showed an identity document. */
const notKnown = { isIdentityVerified: false, accountBasedIn: '', createdVia: '' };

/** `history` is `null` if no directory has the history of the identity. */
export function aboutFromView(view: ProfileView, history: IdentityHistory | null, ids: Ids): UserAbout {
  const { id, userName, name, profilePicture, isVerified, isBlueVerified } = common(view, ids);
  const valid = isVerified ? (view.verification?.verifications ?? []).filter(({ isValid }) => isValid) : [];
  const since = valid.map(({ createdAt }) => new Date(createdAt).toISOString()).sort()[0];
  return {
    id,
    userName,
    name,
    profilePicture,
    isVerified,
    isBlueVerified,
    ...notKnown,
    createdAt: (history?.createdAt ?? createdAtOf(view)).toISOString(),
    verifiedSince: since ?? '',
    usernameChanges: {
      count: history?.handleChanges ?? 0,
      lastChangedAt: history?.handleChangedAt?.toISOString() ?? '',
    },
  };
}
