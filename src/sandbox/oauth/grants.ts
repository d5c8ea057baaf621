import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { User } from '../dataset/types.ts';

export interface OAuthClient {
  readonly id: string;
  readonly name: string;
  /** Null: a public client. */
  readonly secret: string | null;
  /** Null: any loopback address with the path `/connect/callback`, because the port of a local gateway varies (RFC 8252, 7.3). */
  readonly redirectUris: readonly string[] | null;
}

/**
 * The consent of a user to one sign-in of a client. Its code, access tokens and refresh tokens carry its id, their number and their end,
 * with a MAC. So a used code or refresh token is recognized although only the number of the current one is stored.
 */
export interface Grant {
  readonly id: string;
  readonly key: string;
  readonly client: string;
  readonly user: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: string;
  /** The number of token pairs that were issued. 0: the code is not used yet. */
  readonly issued: number;
  /** When the last of its tokens ends, in milliseconds. */
  readonly endsAt: number;
}

/** Replaces the entry of the same id in the journal. A grant that is null has ended. */
export type OAuthEntry =
  | { readonly kind: 'oauth_grant'; readonly id: string; readonly grant: Grant | null }
  | { readonly kind: 'oauth_client'; readonly id: string; readonly client: OAuthClient };

export type TokenKind = 'code' | 'access' | 'refresh';

export interface ReadToken {
  readonly grant: Grant;
  readonly kind: TokenKind;
  readonly number: number;
  readonly endsAt: number;
}

const maxGrants = 10_000;

const demoClient: OAuthClient = { id: 'postern-demo', name: 'Postern', secret: null, redirectUris: null };

export class Grants {
  readonly clients = new Map([[demoClient.id, demoClient]]);
  accessTokenSeconds = 7_200;
  /** The grant that changed last is the last one. */
  readonly #grants = new Map<string, Grant>();

  get size(): number {
    return this.#grants.size;
  }

  apply(users: ReadonlyMap<string, User>, entry: OAuthEntry): boolean {
    if (entry.kind === 'oauth_client') this.clients.set(entry.id, entry.client);
    else {
      this.#grants.delete(entry.id);
      if (entry.grant !== null && !users.has(entry.grant.user)) return false;
      if (entry.grant !== null) this.#grants.set(entry.id, entry.grant);
    }
    return true;
  }

  /** Returns the grants that have ended and, if there are too many, the ones that were unused for longest. */
  surplus(now: number): Grant[] {
    const isFull = this.#grants.size >= maxGrants;
    return [...this.#grants.values()].filter(({ endsAt }, index) => endsAt <= now || (isFull && index === 0));
  }

  of(user: string): Grant[] {
    return [...this.#grants.values()].filter((grant) => grant.user === user);
  }

  /** Returns the grant of an access token that has not ended. */
  active(token: string, now: number): Grant | undefined {
    const found = this.read(token);
    return found?.kind === 'access' && found.endsAt > now ? found.grant : undefined;
  }

  /** Parses a code or token of this sandbox. Accepts used and expired ones too. */
  read(token: string): ReadToken | undefined {
    const [id = '', kind, number = '', endsAt = ''] = token.split('.');
    const grant = this.#grants.get(id);
    if (grant === undefined || (kind !== 'code' && kind !== 'access' && kind !== 'refresh')) return undefined;
    const found = { grant, kind, number: Number.parseInt(number, 36), endsAt: Number.parseInt(endsAt, 36) } as const;
    return isSame(token, tokenOf(grant, kind, found.number, found.endsAt)) ? found : undefined;
  }
}

export function newGrant(fields: Omit<Grant, 'id' | 'key' | 'issued'>): Grant {
  const [id, key] = [randomBytes(16).toString('base64url'), randomBytes(32).toString('base64url')];
  return { ...fields, id, key, issued: 0 };
}

export function tokenOf({ id, key }: Grant, kind: TokenKind, number: number, endsAt: number): string {
  const text = [id, kind, number.toString(36), endsAt.toString(36)].join('.');
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

/** Compares two secrets in constant time. */
export function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash(one), hash(other));
}

/** Names a token in the statistics. */
export function fingerprint(token: string): string {
  return hash(token).toString('hex').slice(0, 16);
}

export function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
