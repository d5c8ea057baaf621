import { makeUser } from '../dataset/factories.ts';
import type { User } from '../dataset/types.ts';
import type { Fields } from '../http/input.ts';
import type { ActorOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import type { SandboxState } from '../platform.ts';
import type { SafeHtml } from './html.ts';

/** A request of a browser for a page. */
export interface PageCall {
  readonly platform: SandboxState;
  /** The signed-in user. Undefined for a visitor, who sees what everybody may see. */
  readonly viewer: User | undefined;
  readonly path: string;
  readonly query: URLSearchParams;
}

export interface PageView {
  readonly status: number;
  readonly title: string;
  readonly body: SafeHtml;
  /** The interval in which the browser loads the page again. */
  readonly refreshSeconds?: number;
}

export interface Question {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: URLSearchParams;
  readonly body?: Fields;
}

/** Performs an operation of the API as the viewer and returns its JSON, so that pages show what the API returns. */
export async function ask<Answer>(
  pageCall: PageCall,
  operation: ActorOperation,
  { params = {}, query = new URLSearchParams(), body = {} }: Question = {},
): Promise<Answer> {
  const call = { platform: pageCall.platform, actor: actorOf(pageCall), params, query, headers: {}, body };
  return JSON.parse((await operation.handle(call)).body);
}

export function actorOf({ viewer }: PageCall): User {
  return viewer ?? visitor;
}

export function signedIn({ viewer }: Pick<PageCall, 'viewer'>): User {
  if (viewer !== undefined) return viewer;
  throw new Problem(401, 'sign_in', 'Sign in as a demo user first');
}

/** The viewer of a browser that is not signed in. This user is not part of the dataset. */
const visitor = makeUser({
  id: '0',
  screenName: '',
  name: 'Visitor',
  description: '',
  location: null,
  website: null,
  createdAt: 0,
  verified: false,
  premium: false,
  verificationKind: null,
  avatar: null,
  banner: null,
  protected: false,
  openDms: false,
  state: 'active',
  token: null,
  chatLabel: null,
  hasChatKeys: false,
  earlierFavourites: 0,
});
