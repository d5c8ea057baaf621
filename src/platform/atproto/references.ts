import { mainSchema as resolveHandle } from '@atcute/atproto/types/identity/resolveHandle';
import type { UserReference } from '../port.ts';
import type { Subject } from './problems.ts';
import type { ServerSession } from './server-session.ts';

/** Matches URLs of posts in the web client, and at:// URIs. */
const webAddress =
  /^https?:\/\/(?:www\.)?bsky\.app\/profile\/([a-zA-Z0-9.:%-]{1,300})\/post\/([a-zA-Z0-9._~-]{1,512})(?:[/?#]\S*)?$/;
const atAddress = /^at:\/\/([a-zA-Z0-9.:%-]{1,300})\/app\.bsky\.feed\.post\/([a-zA-Z0-9._:~-]{1,512})$/;

export interface PostAddress {
  author: string;
  key: string;
}

export function readPostUrl(url: string): PostAddress | null {
  const [, author, key] = webAddress.exec(url) ?? atAddress.exec(url) ?? [];
  return author === undefined || key === undefined ? null : { author, key };
}

export function userSubject(user: UserReference): Subject {
  return { kind: 'User', id: 'userId' in user ? user.userId : user.userName };
}

/** Returns the DID of a handle. */
export async function didOf(actor: ServerSession, identifier: string, subject: Subject): Promise<string> {
  if (identifier.startsWith('did:')) return identifier;
  const params = { handle: identifier as `${string}.${string}` };
  return (await actor.about(subject)(resolveHandle, { params })).did;
}
