import type { AuditAuthor } from '../shared/model/audit.ts';
import type { ConnectionView, StartedConnectionView } from '../shared/model/connection.ts';
import type { Page } from '../shared/model/page.ts';
import type { Secret } from '../shared/secrets/secret.ts';

export interface NewConnection {
  account: string;
  author: AuditAuthor;
  /** Default: `PlatformSignIn.defaultScopes`. */
  scopes: readonly string[] | null;
  returnTo: string | null;
  /** The idempotency token of the call, from which the id and the one-time code are derived. */
  token: string;
}

/** Implements the API calls for connections (docs/connections.md). */
export interface ConnectionCalls {
  create(request: NewConnection): Promise<StartedConnectionView>;
  /** Stores an app password of the AT Protocol as an active connection. */
  createWithPassword(request: {
    account: string;
    author: AuditAuthor;
    login: Secret;
    token: string;
  }): Promise<ConnectionView>;
  list(account: string, page: { count: number; cursor: string | null }): Promise<Page<ConnectionView>>;
  find(account: string, id: string): Promise<ConnectionView>;
  reconnect(request: {
    account: string;
    author: AuditAuthor;
    id: string;
    returnTo: string | null;
    token: string;
  }): Promise<StartedConnectionView>;
  /** Replaces the app password of a connection. Throws `connection_other_user` if it belongs to another user. */
  reconnectWithPassword(request: {
    account: string;
    author: AuditAuthor;
    id: string;
    login: Secret;
  }): Promise<ConnectionView>;
  delete(account: string, author: AuditAuthor, id: string): Promise<{ id: string; deleted: true }>;
}

/** The calls for an API key: only these connections, and no changes, if `ids` is given. */
export type ConnectionsOf = (ids: readonly string[] | null) => ConnectionCalls;

/** What the page of a sign-in shows before it goes on to the platform. */
export interface SignInOffer {
  /** The name of the account that asks. */
  accountName: string;
  scopes: readonly string[];
  /** The host of the platform. */
  host: string;
  /** The screen name of the user who must sign in again; `null` for a first sign-in. */
  userName: string | null;
}

/** Why a page of a sign-in shows an error instead. */
export type SignInRefusal =
  | 'unknown_code'
  | 'expired'
  | 'used'
  | 'other_browser'
  | 'denied'
  | 'scopes_missing'
  | 'other_user'
  | 'platform_failed';

export type SignInResult =
  | { outcome: 'active'; id: string; userName: string; returnTo: string | null }
  | { outcome: 'failed'; id: string | null; refusal: SignInRefusal; message: string; returnTo: string | null };

/** What the pages of a sign-in call. */
export interface SignInSteps {
  /** Returns what the page of a one-time code shows. */
  offer(code: string): Promise<SignInOffer | { refusal: SignInRefusal; message: string }>;
  /**
   * Begins the sign-in when the person goes on: uses up the code and binds the sign-in to the browser by `cookie`. Pressing again in the
   * same browser begins it anew.
   */
  begin(
    code: string,
    cookie: string | null,
  ): Promise<{ authorizeUrl: string; cookie: Secret; seconds: number } | { refusal: SignInRefusal; message: string }>;
  /** Ends the sign-in with the answer of the platform. `cookies` are those of all sign-ins of the browser. */
  finish(answer: {
    state: string;
    code: string | null;
    error: string | null;
    cookie: string | null;
  }): Promise<SignInResult>;
}
