import { createHmac } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { KeyBackup } from '../../platform/key-backup-port.ts';
import type { PlatformSession } from '../../platform/port.ts';
import { malformedField } from '../../shared/errors/fields.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { FairQueue } from '../../shared/threads/fair-queue.ts';
import {
  exportChatKeys,
  generateChatKeys,
  importChatKeys,
  registrationOf,
  zeroiseChatKeys,
} from '../encryption/index.ts';
import { normalizeCode, weakness } from '../encryption/weak-code.ts';
import { GuessThrottle } from './guess-throttle.ts';
import { GuessTurns } from './guess-turns.ts';
import { KeyCache } from './key-cache.ts';
import { RecoveredKeys } from './recovered-keys.ts';
import {
  allRealmsNeeded,
  hasChatKeys,
  lostChatKeys,
  noChatKeys,
  replacedChatKeys,
  tooFewRealms,
  wrongCode,
} from './refusals.ts';

/** The owner of recovered keys. An API account can never use keys that another API account recovered. */
export interface KeyOwner {
  /** The id of the API account that sent the request. */
  readonly account: string;
  readonly authToken: Secret;
  /** The URL of the session's proxy, in the caller's spelling. */
  readonly proxy: Secret | null;
}

type PublicKeys = KeyBackup['published'][number];

/** The part of a platform session that a key recovery needs. */
export type KeySession = Pick<PlatformSession, 'keyBackup'>;

/**
 * The maximum number of recoveries that run at the same time, each in a thread. Most of their time they wait for a
 * realm.
 */
const maxRunning = Math.max(2, Math.min(4, availableParallelism()));

/**
 * Recovers private chat keys from the platform's key backup with the encryption code, and caches them for some minutes.
 */
export class ChatKeyService {
  readonly #runtime: Runtime;
  /** API accounts take turns. */
  readonly #running = new FairQueue({ running: maxRunning, runningOfAccount: 1 });
  /** Proxies are the callers' own, and can be slow on purpose. They must not occupy all threads. */
  readonly #proxied = new FairQueue({ running: maxRunning - 1, runningOfAccount: 1 });
  readonly #throttle: GuessThrottle;
  readonly #cache: KeyCache;
  /** Private keys of enrolments that have not ended: their public keys may be published already. */
  readonly #unfinished: KeyCache;
  readonly #flights = new Map<string, Promise<RecoveredKeys>>();
  readonly #underWay = new Set<Promise<unknown>>();
  /** An HMAC key for the names of cache entries, so that the names do not contain codes or tokens. */
  readonly #nameKey: Buffer;

  constructor({ runtime }: { readonly runtime: Runtime }) {
    this.#runtime = runtime;
    this.#throttle = new GuessThrottle(new GuessTurns(runtime));
    this.#cache = new KeyCache(runtime);
    this.#unfinished = new KeyCache(runtime);
    this.#nameKey = runtime.randomBytes(32);
  }

  /**
   * Returns the actor's private keys. Concurrent calls with the same code and proxy share one guess. Throws `forbidden`
   * for a wrong code (the message has the number of guesses that remain), `locked` if no guesses remain, `conflict` if
   * the account has no chat keys, `unavailable` if too few realms respond, and `rate_limited` after too many
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
    this.#track(recovering.catch(() => {}));
    return recovering;
  }

  /**
   * Creates chat keys for an account, publishes the public ones, and then stores the private ones at the key realms, so
   * that `code` recovers them. Throws `bad_input` for a weak code, and `conflict` if the account has other keys, unless
   * `isReplacing` is true. After `unavailable` a repeated call of this process continues with the same keys.
   */
  async enroll(session: KeySession, who: KeyOwner, code: Secret, isReplacing: boolean): Promise<RecoveredKeys> {
    const weak = weakness(code.expose());
    if (weak !== null) throw malformedField('encryption_code', weak);
    const accountId = await session.keyBackup.accountId();
    // Enrolments and guesses of an account run one at a time, because a mixture of records from two enrolments could
    // never be recovered.
    const enrolling = this.#throttle.run(turnOf(who, accountId), () =>
      this.#whenFree(who, () => this.#enroll(session, who, code, accountId, isReplacing)),
    );
    this.#track(enrolling.catch(() => {}));
    return enrolling;
  }

  /** Waits for running recoveries, then wipes all keys. */
  async close(): Promise<void> {
    this.#running.close();
    this.#proxied.close();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    this.#cache.clear();
    this.#unfinished.clear();
  }

  async #recover({ keyBackup }: KeySession, who: KeyOwner, code: Secret, name: string): Promise<RecoveredKeys> {
    const accountId = await keyBackup.accountId();
    const turn = turnOf(who, accountId);
    this.#throttle.check(turn);
    return this.#throttle.run(turn, async () => {
      // Another call may have recovered the keys while this call was waiting.
      const known = this.#cache.get(name);
      if (known !== undefined) return known;
      const { published, outcome } = await this.#whenFree(who, async () => {
        const backup = await keyBackup.open();
        const recovering = backup.recover(pinOf(code)).finally(() => this.#track(backup.settled()));
        return { published: backup.published, outcome: await recovering };
      });
      switch (outcome.kind) {
        case 'recovered':
          return this.#remember(name, accountId, outcome.privateKeys);
        case 'wrong_code':
          throw wrongCode(outcome.guessesRemaining);
        case 'not_registered':
          throw published.length > 0 ? lostChatKeys() : noChatKeys();
        case 'realms_away':
          throw tooFewRealms(outcome.errors);
      }
    });
  }

  async #enroll(
    { keyBackup }: KeySession,
    who: KeyOwner,
    code: Secret,
    accountId: string,
    isReplacing: boolean,
  ): Promise<RecoveredKeys> {
    const unfinished = this.#hmac(JSON.stringify([who.account, who.authToken.expose()]));
    const raw = this.#unfinished.get(unfinished)?.privateKeys() ?? this.#newKeys();
    try {
      const keys = publicOf(raw);
      const { published } = await keyBackup.open();
      if (published.length > 0 && !isReplacing && !published.some((each) => isSame(each, keys))) throw hasChatKeys();
      this.#unfinished.set(unfinished, new RecoveredKeys(accountId, raw.slice()));
      const backup = await keyBackup.publish(keys, isReplacing);
      const outcome = await backup.register(pinOf(code), raw).finally(() => this.#track(backup.settled()));
      if (outcome.kind === 'realms_away') throw allRealmsNeeded(outcome.errors);
      // If another gateway has published keys meanwhile, the realms may have keys that are not the published ones.
      const newest = (await keyBackup.open()).published.at(-1);
      this.#unfinished.delete(unfinished);
      if (newest && ![keys, ...published].some((each) => isSame(each, newest))) throw replacedChatKeys();
      this.#cache.retire(accountId, who.proxy === null ? '' : `${who.account} `);
      return this.#remember(this.#nameOf(who, code), accountId, raw.slice());
    } finally {
      raw.fill(0);
    }
  }

  /**
   * Runs an operation when it is the turn of the API account. Until then nothing is read, because access tokens of
   * realms expire.
   */
  #whenFree<T>({ account, proxy }: KeyOwner, operation: () => Promise<T>): Promise<T> {
    const place = { account, weight: 1, signal: null };
    const run = () => this.#running.run(place, operation);
    return proxy === null ? run() : this.#proxied.run(place, run);
  }

  #newKeys(): Uint8Array {
    const keys = generateChatKeys((length) => this.#runtime.randomBytes(length));
    const raw = exportChatKeys(keys);
    zeroiseChatKeys(keys);
    return raw;
  }

  #remember(name: string, accountId: string, privateKeys: Uint8Array): RecoveredKeys {
    const keys = new RecoveredKeys(accountId, privateKeys);
    this.#cache.set(name, keys);
    return keys;
  }

  #track(work: Promise<unknown>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  #nameOf({ account, authToken }: KeyOwner, code: Secret): string {
    return `${account} ${this.#hmac(JSON.stringify([authToken.expose(), code.expose()]))}`;
  }

  #hmac(text: string): string {
    return createHmac('sha256', this.#nameKey).update(text).digest('base64');
  }
}

/** X's clients send a code as it was typed. Only digits of other keyboards become ASCII digits. */
function pinOf(code: Secret): Secret {
  return new Secret(normalizeCode(code.expose()));
}

function isSame(a: PublicKeys, b: PublicKeys): boolean {
  return a.publicKey === b.publicKey && a.signingPublicKey === b.signingPublicKey;
}

function publicOf(raw: Uint8Array) {
  const keys = importChatKeys(raw);
  if (keys === undefined) throw new Error('generated keys cannot be read');
  const made = registrationOf(keys);
  zeroiseChatKeys(keys);
  return made;
}

/**
 * Returns the key under which the throttle counts wrong codes and serializes calls. A caller's proxy can impersonate
 * the realms of an `http://` platform and claim any platform account, so its responses affect the caller's API account
 * only.
 */
function turnOf({ account, proxy }: KeyOwner, accountId: string): string {
  return proxy === null ? accountId : `${account} ${accountId}`;
}
