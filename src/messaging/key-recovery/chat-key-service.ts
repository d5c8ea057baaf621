import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { PlatformSession } from '../../platform/port.ts';
import { malformedField } from '../../shared/errors/fields.ts';
import { upTo } from '../../shared/runtime/lru.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import { FairQueue } from '../../shared/threads/fair-queue.ts';
import type { RecoveryEnrolment } from '../encryption/recovery/derive.ts';
import { enroll } from '../encryption/recovery/enroll.ts';
import { Guess } from '../encryption/recovery/guess.ts';
import { KeyStretcher, type Stretcher } from '../encryption/recovery/stretch.ts';
import { weakness } from '../encryption/recovery/weak-code.ts';
import { attemptRecovery } from './attempt.ts';
import { type EnrolmentState, readEnrolmentState } from './enrolment-state.ts';
import { gather } from './gather.ts';
import { GuessThrottle } from './guess-throttle.ts';
import { GuessTurns } from './guess-turns.ts';
import { KeyCache } from './key-cache.ts';
import { privateKeyBytes, RecoveredKeys } from './recovered-keys.ts';
import { hasChatKeys, noChatKeys, noGuessesLeft, tooFewRealms } from './refusals.ts';

/** The owner of recovered keys. An API account can never use keys that another API account recovered. */
export interface KeyOwner {
  /** The id of the API account that sent the request. */
  readonly account: string;
  readonly authToken: Secret;
  /** The URL of the session's proxy, in the caller's spelling. */
  readonly proxy: Secret | null;
}

/** The part of a platform session that a key recovery needs. */
export type KeySession = Pick<PlatformSession, 'realms'>;

export interface ChatKeysParts {
  readonly runtime: Runtime;
  /** Is closed with the service. */
  readonly stretcher?: Stretcher | undefined;
}

type Enrolled = Extract<EnrolmentState, { kind: 'enrolled' }>;

/**
 * Recovers private chat keys from the platform's key realms with the encryption code, and caches them for some minutes.
 */
export class ChatKeyService {
  readonly #runtime: Runtime;
  readonly #stretcher: Stretcher;
  /** API accounts take turns, because calls through a caller's proxy can stretch any number of codes free of charge. */
  readonly #stretching = new FairQueue({ running: 2, runningOfAccount: 1 });
  readonly #throttle: GuessThrottle;
  readonly #cache: KeyCache;
  readonly #flights = new Map<string, Promise<RecoveredKeys>>();
  /** Maps tokens to platform accounts, so that the throttle can refuse a call before a realm is asked. */
  readonly #accountIds = new LRUCache<string, string>(upTo(10_000));
  readonly #underWay = new Set<Promise<unknown>>();
  /** An HMAC key for the names of cache entries, so that the names do not contain codes or tokens. */
  readonly #nameKey: Buffer;

  constructor({ runtime, stretcher = new KeyStretcher() }: ChatKeysParts) {
    this.#runtime = runtime;
    this.#stretcher = stretcher;
    this.#throttle = new GuessThrottle(new GuessTurns(runtime));
    this.#cache = new KeyCache(runtime);
    this.#nameKey = runtime.randomBytes(32);
  }

  /**
   * Returns the actor's private keys. Concurrent calls with the same code and proxy share one guess. Throws `forbidden`
   * for a wrong code (the message has the number of guesses that remain), `locked` if no guesses remain, `conflict` if
   * the account has no chat keys, `unavailable` if fewer than two realms respond, and `rate_limited` after too many
   * wrong codes.
   */
  async recover(session: KeySession, who: KeyOwner, code: Secret): Promise<RecoveredKeys> {
    const name = this.#nameOf(who, code);
    const known = this.#cache.get(name);
    if (known !== undefined) return known;
    // Calls share a recovery only if they use the same proxy, because each call must use its own proxy.
    const flight = `${name} ${who.proxy === null ? '' : this.#hmac(who.proxy.expose())}`;
    const running = this.#flights.get(flight);
    if (running !== undefined) return running;
    const recovering = this.#recover(session, who, code, name).finally(() => this.#flights.delete(flight));
    this.#flights.set(flight, recovering);
    this.#goesOn(recovering.catch(() => {}));
    return recovering;
  }

  /**
   * Enrolls new private keys (64 bytes), so that `code` recovers them later. Throws `bad_input` for a weak code,
   * `conflict` if the account is enrolled, and `unavailable` if fewer than two realms stored the keys. After
   * `unavailable` the call may be repeated. After `conflict` with missing public keys, recover the private keys and
   * register the public ones.
   */
  async enroll(session: KeySession, who: KeyOwner, code: Secret, privateKeys: Uint8Array): Promise<RecoveredKeys> {
    const weak = weakness(code.expose());
    if (weak !== null) throw malformedField('encryption_code', weak);
    if (privateKeys.length !== privateKeyBytes) throw new Error(`private keys have ${privateKeyBytes} bytes`);
    const { accountId } = await readEnrolmentState(session.realms, this.#runtime);
    // Enrolments and guesses of an account run one at a time, because a mixture of records from two enrolments could
    // never be recovered.
    return this.#throttle.run(turnOf(who, accountId), async () => {
      const enrolment = { accountId, version: await this.#register(session, who, accountId, code, privateKeys) };
      return this.#remember(this.#nameOf(who, code), enrolment, privateKeys.slice());
    });
  }

  /** Waits for running recoveries, then wipes all keys. */
  async close(): Promise<void> {
    this.#stretching.close();
    await this.#stretcher.close();
    await Promise.all(this.#underWay);
    this.#cache.clear();
  }

  async #recover(session: KeySession, who: KeyOwner, code: Secret, name: string): Promise<RecoveredKeys> {
    const token = this.#hmac(who.authToken.expose());
    const accountId = this.#accountIds.get(token);
    if (accountId !== undefined) this.#throttle.check(turnOf(who, accountId));
    const standing = await readEnrolmentState(session.realms, this.#runtime);
    if (standing.kind !== 'enrolled') throw standing.kind === 'locked' ? noGuessesLeft() : noChatKeys();
    this.#accountIds.set(token, standing.accountId);
    return this.#throttle.run(turnOf(who, standing.accountId), async () => {
      // Another call may have recovered the keys while this call was waiting.
      const known = this.#cache.get(name);
      return known ?? this.#remember(name, standing, await this.#guess(standing, who, code));
    });
  }

  async #register(
    { realms }: KeySession,
    who: KeyOwner,
    accountId: string,
    code: Secret,
    privateKeys: Uint8Array,
  ): Promise<string> {
    const runtime = this.#runtime;
    const standing = await readEnrolmentState(realms, runtime);
    if (standing.kind === 'enrolled') throw hasChatKeys();
    if (standing.kind === 'locked') throw noGuessesLeft();
    const version = runtime.randomBytes(16).toString('hex');
    const stretched = await this.#stretch(who, code, { accountId, version });
    const records = enroll({ accountId, version, stretched, privateKeys }, this.#random);
    stretched.fill(0);
    const { errors } = await gather({
      realms,
      runtime,
      ask: async (realm) => {
        const record = records[realm.place - 1];
        if (record === undefined) throw new Error(`there is no share for realm ${realm.place}`);
        await realm.register(record, standing.left.get(realm.place) ?? null);
      },
      // The record is sent to all three realms, and two of them suffice.
      conclude: (answers) => (answers.length === realms.length ? true : undefined),
      atOnce: realms.length,
      nextDelayMs: 60_000,
    });
    // Another gateway may have enrolled the account at the same time. Realms that already have its record refuse this
    // one.
    if (realms.length - errors.length < 2) {
      throw errors.some(({ code }) => code === 'conflict') ? hasChatKeys() : tooFewRealms(errors);
    }
    const now = await readEnrolmentState(realms, runtime);
    if (now.kind !== 'enrolled' || now.version !== version) throw hasChatKeys();
    return version;
  }

  async #guess(standing: Enrolled, who: KeyOwner, code: Secret): Promise<Uint8Array> {
    const stretched = await this.#stretch(who, code, standing);
    const guess = new Guess(standing, stretched, this.#random);
    try {
      return await attemptRecovery({
        standing,
        guess,
        runtime: this.#runtime,
        inBackground: (work) => this.#goesOn(work),
      });
    } finally {
      guess.wipe();
    }
  }

  #stretch({ account }: KeyOwner, code: Secret, enrolment: RecoveryEnrolment): Promise<Uint8Array> {
    const stretch = () => this.#stretcher.stretch(code.expose(), enrolment);
    return this.#stretching.run({ account, weight: 1, signal: null }, stretch);
  }

  #remember(name: string, enrolment: { accountId: string; version: string }, privateKeys: Uint8Array): RecoveredKeys {
    const keys = new RecoveredKeys(enrolment.accountId, enrolment.version, privateKeys);
    this.#cache.set(name, keys);
    return keys;
  }

  #goesOn(work: Promise<unknown>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  readonly #random = (length: number): Uint8Array => this.#runtime.randomBytes(length);

  #nameOf({ account, authToken }: KeyOwner, code: Secret): string {
    return this.#hmac(JSON.stringify([account, authToken.expose(), code.expose()]));
  }

  #hmac(text: string): string {
    return createHmac('sha256', this.#nameKey).update(text).digest('base64');
  }
}

/**
 * Returns the key under which the throttle counts wrong codes and serializes calls. A caller's proxy can impersonate
 * the realms of an `http://` platform and claim any platform account, so its responses affect the caller's API account
 * only.
 */
function turnOf({ account, proxy }: KeyOwner, accountId: string): string {
  return proxy === null ? accountId : `${account} ${accountId}`;
}
