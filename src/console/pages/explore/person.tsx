import type { ComponentChildren } from 'preact';
import { count } from '../../ui/format.tsx';
import { Initials } from '../../ui/initials.tsx';
import { Link, pathTo } from './links.tsx';

/** The fields that users have in all responses. */
export interface ShownPerson {
  readonly id: string;
  readonly userName: string;
  readonly name: string;
  readonly isVerified: boolean;
  readonly isBlueVerified: boolean;
}

/** The name of a user with initials as a picture. */
export function Person({ user, children }: { user: ShownPerson; children?: ComponentChildren }) {
  return (
    <div class="person">
      <Initials user={user} />
      <div class="person-names">
        <Link to={pathTo.user(user.userName)} class="person-name">
          {user.name || user.userName}
        </Link>
        <Verified user={user} />
        <span class="soft">
          @{user.userName}
          {children && <> · {children}</>}
        </span>
      </div>
    </div>
  );
}

export function Verified({ user }: { user: ShownPerson }) {
  if (!user.isVerified && !user.isBlueVerified) return null;
  return (
    <span class="verified" title="Verified">
      <Icon name="verified" />
      <span class="visually-hidden">verified</span>
    </span>
  );
}

interface ListedUser extends ShownPerson {
  readonly description: string;
  readonly followers: number;
  readonly following: number;
}

/** A user in a list. */
export function UserCard({ user }: { user: ListedUser }) {
  return (
    <article class="tweet">
      <Person user={user} />
      {user.description && (
        <p class="text" dir="auto">
          {user.description}
        </p>
      )}
      <FollowCounts user={user} />
    </article>
  );
}

export function FollowCounts({ user: { followers, following } }: { user: ListedUser }) {
  return (
    <p class="soft">
      <b>{count(followers)}</b> followers · <b>{count(following)}</b> following
    </p>
  );
}

/** Outlines in a square of 24 units. */
const outlines = {
  reply: 'M4 5h16v11H9l-5 4z',
  retweet: 'M5 16V8h11M13 5l3 3-3 3M19 8v8H8M11 19l-3-3 3-3',
  quote: 'M5 19V9l4-4h10v14zM9 11h6M9 15h6',
  like: 'M12 20C6 15 4 12.5 4 9.5A4 4 0 0 1 12 8a4 4 0 0 1 8 1.5c0 3-2 5.5-8 10.5z',
  bookmark: 'M7 4h10v16l-5-4-5 4z',
  views: 'M5 20v-6M10 20V9M15 20v-8M20 20V4',
  photo: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 8.5h.01',
  film: 'M4 5h16v14H4zM10 9l5 3-5 3z',
  verified:
    'M12 3l2.5 2 3.2-.2.7 3.1 2.6 1.9-1.2 2.9 1.2 3-2.6 1.8-.7 3.2-3.2-.3L12 21.500l-2.500-2.100-3.200.3-.7-3.200L3 14.700l1.200-3L3 8.800l2.600-1.900.7-3.100 3.200.2zM8.500 12l2.500 2.500 4.500-5',
} as const;

export type IconName = keyof typeof outlines;

/** A decorative icon. The text next to it has the same meaning. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={outlines[name]} />
    </svg>
  );
}
