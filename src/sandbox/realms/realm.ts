import { timingSafeEqual } from 'node:crypto';
import { evaluate, type Random } from './oprf.ts';
import type { RealmStore } from './realm-store.ts';
import { bytesOf, type Fields, readRecord } from './record.ts';

/** A decoded request: the name of a case without data, or an object with the name and the data of a case. */
export type RealmRequest = string | Readonly<Record<string, Fields>>;

/** A software realm of Juicebox: holds a record for each account and limits guesses of the PIN. */
export class Realm {
  readonly #store: RealmStore;
  readonly #random: Random;

  constructor(store: RealmStore, random: Random) {
    this.#store = store;
    this.#random = random;
  }

  /** Returns the response to a request, to be encoded as CBOR. Throws for a request that is not valid. */
  handle(account: string, request: RealmRequest): Readonly<Record<string, unknown>> {
    const [[kind, fields] = ['', {}]] =
      typeof request === 'string' ? [[request, {}] as const] : Object.entries(request);
    switch (kind) {
      case 'Register1':
        return { Register1: 'Ok' };
      case 'Register2':
        this.#store.put(account, readRecord(fields), guessesOf(fields));
        return { Register2: 'Ok' };
      case 'Recover1':
        return { Recover1: this.#recover1(account) };
      case 'Recover2':
        return { Recover2: this.#recover2(account, fields) };
      case 'Recover3':
        return { Recover3: this.#recover3(account, fields) };
      case 'Delete':
        this.#store.delete(account);
        return { Delete: 'Ok' };
      default:
        throw new Error('an unknown request');
    }
  }

  #recover1(account: string) {
    const found = this.#find(account);
    return typeof found === 'string' ? found : { Ok: { version: found.record.version } };
  }

  /** Evaluates a blinded PIN. The guess is counted on disk before it is evaluated. */
  #recover2(account: string, fields: Fields) {
    const found = this.#find(account, fields);
    if (typeof found === 'string') return found;
    const { record, allowed, guesses } = found;
    const blinded = bytesOf(fields, 'oprf_blinded_input', 32);
    this.#store.countGuess(account);
    const { public_key, verifying_key, signature } = record;
    const { result, proof } = evaluate(record.oprf_private_key, public_key, blinded, this.#random);
    return {
      Ok: {
        oprf_signed_public_key: { public_key, verifying_key, signature },
        oprf_blinded_result: result,
        oprf_proof: proof,
        unlock_key_commitment: record.unlock_key_commitment,
        num_guesses: allowed,
        guess_count: guesses + 1,
      },
    };
  }

  /** The tag is known only to a client that knows the PIN, so it resets the count. It is too long to be guessed. */
  #recover3(account: string, fields: Fields) {
    const found = this.#find(account, fields, true);
    if (typeof found === 'string') return found;
    const { record, allowed, guesses } = found;
    if (!timingSafeEqual(record.unlock_key_tag, bytesOf(fields, 'unlock_key_tag', 16))) {
      if (guesses >= allowed) this.#store.lock(account);
      return { BadUnlockKeyTag: { guesses_remaining: Math.max(0, allowed - guesses) } };
    }
    this.#store.forgetGuesses(account);
    const { encryption_key_scalar_share, encrypted_secret, encrypted_secret_commitment } = record;
    return { Ok: { encryption_key_scalar_share, encrypted_secret, encrypted_secret_commitment } };
  }

  /**
   * Returns the record, or why there is none. A record without guesses is destroyed, except after the last guess
   * (`isLast`).
   */
  #find(account: string, fields?: Fields, isLast = false) {
    const found = this.#store.find(account);
    if (found.state !== 'registered') return found.state === 'locked' ? 'NoGuesses' : 'NotRegistered';
    if (fields && !timingSafeEqual(found.record.version, bytesOf(fields, 'version', 16))) return 'VersionMismatch';
    if (isLast || found.guesses < found.allowed) return found;
    this.#store.lock(account);
    return 'NoGuesses';
  }
}

function guessesOf(fields: Fields): number {
  const { num_guesses: guesses } = fields['policy'] as { num_guesses?: unknown };
  if (!Number.isInteger(guesses) || Number(guesses) < 0 || Number(guesses) > 65_535) throw new Error('num_guesses');
  return Number(guesses);
}
