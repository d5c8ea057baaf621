import type { ComponentChildren } from 'preact';
import { count } from '../../ui/format.tsx';
import { Icon } from './icon.tsx';
import { Link, pathTo } from './links.tsx';

/** The fields that users have in all responses. */
export interface ShownPerson {
  readonly id: string;
  readonly userName: string;
  readonly name: string;
  readonly isVerified: boolean;
  readonly isBlueVerified: boolean;
}

/** The name of a user with initials as a picture, because the console loads no pictures from other origins. */
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

const hues = 8;

/** Returns a number below `hues`. Some platforms have ids that are not numbers. */
function hueOf(id: string): number {
  return [...id].reduce((sum, character) => sum + character.charCodeAt(0), 0) % hues;
}

export function Initials({ user: { id, name, userName } }: { user: ShownPerson }) {
  const [first = '', second = ''] = (name || userName).split(/\s+/).map((word) => [...word][0] ?? '');
  return (
    <span class={`initials hue-${hueOf(id)}`} aria-hidden="true">
      {(first + second).toUpperCase()}
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
