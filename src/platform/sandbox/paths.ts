import type { PageRequest } from '../port.ts';

/** Returns the part of a `SandboxRequest` that asks for a page. */
export function withPage(path: string, { count, cursor }: PageRequest, more: Record<string, string> = {}) {
  const query = new URLSearchParams({ ...more, count: String(count) });
  if (cursor !== null) query.set('cursor', cursor);
  return { path: `${path}?${query}`, count };
}
