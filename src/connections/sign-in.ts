import { createHash } from 'node:crypto';
import type { Platform, PlatformSignIn, PlatformTokens } from '../platform/port.ts';
import { asPosternError, PosternError } from '../shared/errors/postern-error.ts';
import { base62 } from '../shared/secrets/base62.ts';
import { Secret } from '../shared/secrets/secret.ts';
import type { Store, StoredConnection } from '../store/port.ts';
import { type ConnectedUser, type ConnectionRecords, hashOf, loginOf, matches, type SignInState } from './records.ts';
import type { SignInOffer, SignInRefusal, SignInResult, SignInSteps } from './service.ts';

export interface SignInParts {
  records: ConnectionRecords;
  accounts: Pick<Store['accounts'], 'find'>;
  platform: Platform;
  /** Called after a connection has a new login. */
  changed: (record: StoredConnection) => void;
}

interface Refused {
  refusal: SignInRefusal;
  message: string;
}

/** A record with the sign-in that a code or a `state` names. */
interface Found {
  record: StoredConnection;
  signIn: SignInState;
}

/** The length of the part of an id after its prefix, and that of a secret: 131 and 190 bits. */
const idLength = 22;
const secretLength = 32;
const secretBytes = 32;
const codePattern = new RegExp(`^([0-9A-Za-z]{${idLength}})-([0-9A-Za-z]{${secretLength}})$`);
const statePattern = new RegExp(`^([0-9A-Za-z]{${idLength}})\\.([0-9A-Za-z]{${secretLength}})$`);

const messages: Readonly<Record<SignInRefusal, string>> = {
  unknown_code: 'This link is not known. Ask for a new one',
  expired: 'This link has expired. Ask for a new one',
  used: 'This link has been used. Ask for a new one',
  other_browser: 'The sign-in was begun in another browser. Open the link in this one, or go on there',
  denied: 'The sign-in was denied on the page of the platform',
  scopes_missing: 'The platform did not grant all that was asked for',
  other_user: 'Another user signed in than before. Sign out on the platform first, or make a new connection',
  platform_failed: 'The platform did not complete the sign-in. Ask for a new link',
};

function refuse(refusal: SignInRefusal, more = ''): Refused {
  return { refusal, message: messages[refusal] + more };
}

const isRefused = (value: object): value is Refused => 'refusal' in value;

/** The steps of a sign-in. Each is a compare-and-set on the record, so a code, a `state` and an answer work only once. */
export class SignIn implements SignInSteps {
  readonly #parts: SignInParts;

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  async offer(code: string): Promise<SignInOffer | Refused> {
    const found = await this.#findByCode(code);
    if (isRefused(found)) return found;
    const { records, accounts } = this.#parts;
    const { record } = found;
    const account = await records.stored(accounts.find(record.account));
    const userName = records.openLogin(record)?.user.userName ?? null;
    return { accountName: account?.name ?? '', scopes: record.scopes, host: this.#platform().host, userName };
  }

  async begin(
    code: string,
    cookie: string | null,
  ): Promise<{ authorizeUrl: string; cookie: Secret; seconds: number } | Refused> {
    const found = await this.#findByCode(code);
    if (isRefused(found)) return found;
    const { records } = this.#parts;
    const { record, signIn } = found;
    const { begun } = signIn;
    if (begun && (begun.isAnswered || !matches(cookie, begun.cookie))) return refuse('used');
    const [secret, verifier, newCookie] = [this.#secret(), this.#secret() + this.#secret(), new Secret(this.#secret())];
    const begins = { state: hashOf(secret), cookie: hashOf(newCookie.expose()), verifier, isAnswered: false };
    if (!(await this.#replace(found, { ...signIn, begun: begins }))) return refuse('used');
    const authorizeUrl = this.#platform().authorizeUrl({
      redirectUri: signIn.redirectUri,
      state: `${partOf(record)}.${secret}`,
      challenge: createHash('sha256').update(verifier).digest('base64url'),
      scopes: record.scopes,
    });
    const seconds = Math.ceil(((record.signInEndsAt ?? 0) - records.now()) / 1_000);
    return { authorizeUrl, cookie: newCookie, seconds };
  }

  async finish({ state, code, error, cookie }: Parameters<SignInSteps['finish']>[0]): Promise<SignInResult> {
    const found = await this.#find(statePattern, state, ({ begun }) => begun?.state);
    const begun = isRefused(found) ? null : found.signIn.begun;
    if (isRefused(found) || !begun) return failed(null, isRefused(found) ? found : refuse('unknown_code'), null);
    // Only the browser that began the sign-in may end it, whatever the platform answered.
    if (!matches(cookie, begun.cookie)) return failed(null, refuse('other_browser'), null);
    const { id } = found.record;
    const { returnTo, redirectUri } = found.signIn;
    const answered = { ...found.signIn, begun: { ...begun, isAnswered: true } };
    const open = begun.isAnswered ? null : await this.#replace(found, answered);
    if (!open) return failed(id, refuse('used'), returnTo);
    if (code === null) {
      const isDenied = error === 'access_denied';
      const more = error !== null && /^\w{1,40}$/.test(error) ? ` (${error})` : '';
      return this.#fail(open, isDenied ? refuse('denied') : refuse('platform_failed', more));
    }
    try {
      const answer = { code, verifier: new Secret(begun.verifier), redirectUri };
      const sentAt = this.#parts.records.now();
      return await this.#complete(open, await this.#platform().exchange(answer), sentAt);
    } catch (thrown) {
      const { message } = asPosternError(thrown);
      return this.#fail(open, refuse('platform_failed', ` (${message})`));
    }
  }

  /** Stores the login of the user to whom the tokens belong. */
  async #complete(open: Found, tokens: PlatformTokens, sentAt: number): Promise<SignInResult> {
    const { records, changed } = this.#parts;
    const { record, signIn } = open;
    const granted = tokens.scopes.length > 0 ? tokens.scopes : record.scopes;
    const lacking = record.scopes.filter((scope) => !granted.includes(scope));
    const discarding = async (error: unknown) => {
      await this.#discard(tokens);
      throw error;
    };
    const user = lacking.length === 0 ? await this.userOf(record.account, tokens.access).catch(discarding) : null;
    const isOther = user !== null && record.userId !== null && record.userId !== user.id;
    if (user === null || isOther) {
      await this.#discard(tokens);
      const refusal = isOther ? refuse('other_user') : refuse('scopes_missing', `: ${lacking.join(', ')}`);
      return this.#fail(open, refusal);
    }
    const { login, expiresAt } = loginOf(user, tokens, sentAt);
    const entry = records.auditEntry(record, 'connection.connected', { user });
    const change = {
      ...{ status: 'active' as const, userId: user.id, login: records.sealLogin(record.id, login), scopes: granted },
      ...{ signIn: null, signInEndsAt: null, error: null, expiresAt, refreshing: null },
    };
    const stored = await records.change(record, (now) => (this.#isOpen(now, signIn) ? change : null), entry);
    if (!stored) {
      await this.#discard(tokens);
      return failed(record.id, refuse('used'), signIn.returnTo);
    }
    changed(stored);
    return { outcome: 'active', id: record.id, userName: user.userName, returnTo: signIn.returnTo };
  }

  /** Returns the user of a credential of the platform. */
  async userOf(account: string, authToken: Secret): Promise<ConnectedUser> {
    const tokenFor = () => {
      throw new Error('a sign-in must not write');
    };
    const needs = { author: false, quoted: false, mentionNames: false, media: false, pinned: false };
    const session = this.#parts.platform.as({ account, authToken, proxy: null, signal: null, tokenFor, needs });
    const { id, userName, name, profilePicture } = await session.ownProfile();
    return { id, userName, name, profilePicture: profilePicture ?? '' };
  }

  /** Records why a sign-in failed. A connection that has a login keeps it. */
  async #fail({ record, signIn }: Found, refused: Refused): Promise<SignInResult> {
    await this.#parts.records.change(record, (now) => {
      if (!this.#isOpen(now, signIn)) return null;
      const end = { signIn: null, signInEndsAt: null, error: refused.message };
      return now.login === null ? { ...end, status: 'failed' } : end;
    });
    return failed(record.id, refused, signIn.returnTo);
  }

  /** Returns true while no other request has gone on with the sign-in, begun a new one, or deleted the connection. */
  #isOpen(record: StoredConnection, signIn: SignInState): boolean {
    return record.revokeAt === null && this.#parts.records.hasSignIn(record, signIn);
  }

  /** Revokes tokens that are not stored. They end by themselves if the platform cannot be reached. */
  async #discard({ refresh, access }: PlatformTokens): Promise<void> {
    await this.#platform()
      .revoke(refresh ?? access)
      .catch(() => {});
  }

  #findByCode(code: string): Promise<Found | Refused> {
    return this.#find(codePattern, code, (signIn) => signIn.code);
  }

  /** Returns the sign-in with a secret, whose hash `hashIn` returns. */
  async #find(
    pattern: RegExp,
    text: string,
    hashIn: (signIn: SignInState) => string | undefined,
  ): Promise<Found | Refused> {
    const { records } = this.#parts;
    const [, part, secret = ''] = pattern.exec(text) ?? [];
    const record = part === undefined ? null : await records.stored(records.store.find(`conn_${part}`));
    if (record === null || record.revokeAt !== null) return refuse('unknown_code');
    const signIn = records.openSignIn(record);
    if (signIn === null) return refuse('used');
    const hash = hashIn(signIn);
    if (hash === undefined || !matches(secret, hash)) return refuse('unknown_code');
    return (record.signInEndsAt ?? 0) > records.now() ? { record, signIn } : refuse('expired');
  }

  /** Goes on with a sign-in. Returns `null` if another request did so first. */
  async #replace({ record, signIn }: Found, next: SignInState): Promise<Found | null> {
    const { records } = this.#parts;
    const sealed = records.sealSignIn(record.id, next);
    const change = (now: StoredConnection) => (this.#isOpen(now, signIn) ? { signIn: sealed } : null);
    const stored = await records.change(record, change);
    return stored && { record: stored, signIn: next };
  }

  #platform(): PlatformSignIn {
    const { signIn } = this.#parts.platform;
    if (!signIn) throw new PosternError('not_supported', 'The platform has no sign-in');
    return signIn;
  }

  #secret(): string {
    return base62(this.#parts.records.random(secretBytes), secretLength);
  }
}

/** Returns the part of a connection's id that codes, states and cookies contain. */
function partOf({ id }: Pick<StoredConnection, 'id'>): string {
  return id.slice(-idLength);
}

function failed(id: string | null, refused: Refused, returnTo: string | null): SignInResult {
  return { outcome: 'failed', id, ...refused, returnTo };
}
