import { createHash } from 'node:crypto';
import type { Platform, PlatformSignIn, PlatformTokens } from '../platform/port.ts';
import { asPosternError, PosternError } from '../shared/errors/postern-error.ts';
import { base62 } from '../shared/secrets/base62.ts';
import { Secret } from '../shared/secrets/secret.ts';
import type { Store, StoredConnection } from '../store/port.ts';
import { type ConnectedUser, type ConnectionRecords, hashOf, loginOf, matches, type SignInState } from './records.ts';
import { type RefusedStep, refuse } from './sign-in-refusals.ts';

export interface SignInFlowParts {
  records: ConnectionRecords;
  accounts: Pick<Store['accounts'], 'find'>;
  platform: Platform;
  /** Called after a connection has a new login. */
  changed: (record: StoredConnection) => void;
  /** Called after a failure that may be the operator's, for the log. */
  onError: (error: unknown) => void;
}

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

export type SignInResult =
  | { outcome: 'active'; id: string; userName: string; returnTo: string | null }
  | ({ outcome: 'failed'; id: string | null; returnTo: string | null } & RefusedStep);

/** The answer of the platform, which the browser brings. `cookie` is that of the connection. */
export interface SignInAnswer {
  state: string;
  code: string | null;
  error: string | null;
  cookie: string | null;
}

/** A record with the sign-in that a code or a `state` names. */
interface OpenSignIn {
  record: StoredConnection;
  signIn: SignInState;
}

/** The length of the part of an id after its prefix, and that of a secret: 131 and 190 bits. */
const idLength = 22;
const secretLength = 32;
const secretBytes = 32;
const codePattern = new RegExp(`^([0-9A-Za-z]{${idLength}})-([0-9A-Za-z]{${secretLength}})$`);
const statePattern = new RegExp(`^([0-9A-Za-z]{${idLength}})\\.([0-9A-Za-z]{${secretLength}})$`);

const isRefused = (step: object): step is RefusedStep => 'refusal' in step;

/** The steps of a sign-in. Each is a compare-and-set on the record, so a code, a `state` and an answer work only once. */
export class SignInFlow {
  readonly #parts: SignInFlowParts;

  constructor(parts: SignInFlowParts) {
    this.#parts = parts;
  }

  /** Returns what the page of a one-time code shows. */
  async offer(code: string): Promise<SignInOffer | RefusedStep> {
    const found = await this.#findByCode(code);
    if (isRefused(found)) return found;
    const { records, accounts } = this.#parts;
    const { record, signIn } = found;
    const account = await records.stored(accounts.find(record.account));
    const userName = records.logins.open(record)?.user.userName ?? null;
    return { accountName: account?.name ?? '', scopes: signIn.scopes, host: this.#platform().host, userName };
  }

  /**
   * Begins the sign-in when the person goes on: uses up the code and binds the sign-in to the browser by a cookie. Pressing again in the same
   * browser begins it anew.
   */
  async begin(
    code: string,
    cookie: string | null,
  ): Promise<{ authorizeUrl: string; cookie: Secret; seconds: number } | RefusedStep> {
    const found = await this.#findByCode(code);
    if (isRefused(found)) return found;
    const { records } = this.#parts;
    const { record, signIn } = found;
    const { begun } = signIn;
    if (begun && (begun.isAnswered || !matches(cookie, begun.cookie))) return refuse('used');
    const [secret, verifier, newCookie] = [this.#secret(), this.#secret() + this.#secret(), new Secret(this.#secret())];
    const started = { state: hashOf(secret), cookie: hashOf(newCookie.expose()), verifier, isAnswered: false };
    if (!(await this.#replace(found, { ...signIn, begun: started }))) return refuse('used');
    const authorizeUrl = this.#platform().authorizeUrl({
      redirectUri: signIn.redirectUri,
      state: `${partOf(record.id)}.${secret}`,
      challenge: createHash('sha256').update(verifier).digest('base64url'),
      scopes: signIn.scopes,
    });
    const seconds = Math.ceil(((record.signInEndsAt ?? 0) - records.now()) / 1_000);
    return { authorizeUrl, cookie: newCookie, seconds };
  }

  /** Ends the sign-in with the answer of the platform. */
  async finish({ state, code, error, cookie }: SignInAnswer): Promise<SignInResult> {
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
      const details = error !== null && /^\w{1,40}$/.test(error) ? error : undefined;
      return this.#fail(open, isDenied ? refuse('denied') : refuse('platform_failed', details));
    }
    try {
      const answer = { code, verifier: new Secret(begun.verifier), redirectUri };
      const sentAt = this.#parts.records.now();
      return await this.#complete(open, await this.#platform().exchange(answer), sentAt);
    } catch (thrown) {
      this.#parts.onError(thrown);
      return this.#fail(open, refuse('platform_failed', asPosternError(thrown).message));
    }
  }

  /** Stores the login of the user to whom the tokens belong. */
  async #complete(open: OpenSignIn, tokens: PlatformTokens, sentAt: number): Promise<SignInResult> {
    const { records, changed, onError } = this.#parts;
    const { record, signIn } = open;
    const granted = tokens.scopes.length > 0 ? tokens.scopes : signIn.scopes;
    const lacking = signIn.scopes.filter((scope) => !granted.includes(scope));
    const discarding = async (error: unknown) => {
      await this.#discard(tokens);
      throw error;
    };
    const user = lacking.length === 0 ? await this.userOf(record.account, tokens.access).catch(discarding) : null;
    const isOther = user !== null && record.userId !== null && record.userId !== user.id;
    if (user === null || isOther) {
      await this.#discard(tokens);
      const refusal = isOther ? refuse('other_user') : refuse('scopes_missing', lacking.join(', '));
      return this.#fail(open, refusal);
    }
    const { login, expiresAt } = loginOf(records.issuer, user, tokens, sentAt);
    const audit = records.auditEntry(record, 'connection.connected', { user });
    const change = {
      status: 'active' as const,
      scopes: granted,
      userId: user.id,
      login: records.logins.seal(record.id, login),
      signIn: null,
      signInEndsAt: null,
      error: null,
      expiresAt,
      refreshing: null,
    };
    const ifOpen = (now: StoredConnection) => (this.#isOpen(now, signIn) ? change : null);
    const stored = await records.storeLogin(record, login, ifOpen, { audit, onError });
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
  async #fail({ record, signIn }: OpenSignIn, refused: RefusedStep): Promise<SignInResult> {
    await this.#parts.records.change(record, (now) => {
      if (!this.#isOpen(now, signIn)) return null;
      const end = { signIn: null, signInEndsAt: null };
      if (now.login === null) return { ...end, status: 'failed', error: refused.message };
      return { ...end, error: reconnectFailed(refused.message) };
    });
    return failed(record.id, refused, signIn.returnTo);
  }

  /** Returns true if this sign-in is still the current one: no other request has continued or replaced it, or deleted the connection. */
  #isOpen(record: StoredConnection, signIn: SignInState): boolean {
    return record.revokeAt === null && this.#parts.records.signIns.has(record, signIn);
  }

  /** Revokes tokens that are not stored. They end by themselves if the platform cannot be reached. */
  async #discard({ refresh, access }: PlatformTokens): Promise<void> {
    await this.#platform()
      .revoke(refresh ?? access)
      .catch(() => {});
  }

  #findByCode(code: string): Promise<OpenSignIn | RefusedStep> {
    return this.#find(codePattern, code, (signIn) => signIn.code);
  }

  /** Finds the sign-in of a code or `state`, and compares its secret with the stored hash, which `hashIn` selects. */
  async #find(
    pattern: RegExp,
    text: string,
    hashIn: (signIn: SignInState) => string | undefined,
  ): Promise<OpenSignIn | RefusedStep> {
    const { records } = this.#parts;
    const [, part, secret = ''] = pattern.exec(text) ?? [];
    const record = part === undefined ? null : await records.stored(records.store.find(`conn_${part}`));
    if (record === null || record.revokeAt !== null) return refuse('unknown_code');
    const signIn = records.signIns.open(record);
    if (signIn === null) return refuse('used');
    const hash = hashIn(signIn);
    if (hash === undefined || !matches(secret, hash)) return refuse('unknown_code');
    return (record.signInEndsAt ?? 0) > records.now() ? { record, signIn } : refuse('expired');
  }

  /** Stores the next state of a sign-in. Returns `null` if another request came first. */
  async #replace({ record, signIn }: OpenSignIn, next: SignInState): Promise<OpenSignIn | null> {
    const { records } = this.#parts;
    const sealed = records.signIns.seal(record.id, next);
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
export function partOf(id: string): string {
  return id.slice(-idLength);
}

/** Returns the `error` of a connection that keeps its login after a failed reconnect. */
export const reconnectFailed = (message: string) => `The last reconnect failed: ${message}`;

function failed(id: string | null, refused: RefusedStep, returnTo: string | null): SignInResult {
  return { outcome: 'failed', id, ...refused, returnTo };
}
