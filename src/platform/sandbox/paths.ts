import type { PageRequest, UserReference } from '../port.ts';

export function withPage(path: string, { count, cursor }: PageRequest, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...more, count: String(count) });
  if (cursor !== null) query.set('cursor', cursor);
  return `${path}?${query}`;
}

export function pathOf(user: UserReference): string {
  return 'userId' in user ? `/api/users/${user.userId}` : `/api/users/by/${encodeURIComponent(user.userName)}`;
}

export function aUser(user: UserReference) {
  return { kind: 'User', id: 'userId' in user ? user.userId : user.userName } as const;
}

export function aTweet(id: string) {
  return { kind: 'Tweet', id } as const;
}
