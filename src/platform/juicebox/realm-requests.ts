import { decode } from 'cborg';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import type { Runtime, Timer } from '../../shared/runtime/runtime.ts';
import type { PlatformAnswer } from '../http/answer.ts';
import type { Transport } from '../http/transport.ts';
import { InvalidResponseError } from '../http/wire.ts';
import type { PlatformCall } from '../port.ts';
import type { BackupConfig, BackupRealm } from './config.ts';
import type { RealmReply, SdkRequest } from './sdk-workers.ts';

/** When enough realms have responded, the others have this time. */
const graceMs = 300;
/** The limit of one request. */
const requestMs = 10_000;
/** The largest response of a realm has 436 bytes. */
const maxReplyBytes = 8_192;

export interface RealmRequestsOptions {
  readonly config: BackupConfig;
  readonly call: PlatformCall;
  readonly transport: Transport;
  readonly runtime: Pick<Runtime, 'after'>;
  /** True if a part of the realms is enough, so that a slow one is given up. */
  readonly isRecovery: boolean;
}

/** The requests that the SDK sends to all realms at about the same time. */
interface Round {
  replied: number;
  /** Each gives a request without a response a time limit. */
  readonly waiting: Set<() => void>;
}

/**
 * Sends the requests of one operation of the SDK, which has no time limits, waits for the slowest realm, and repeats failed requests. A
 * request is therefore sent only once, because a repeated guess would cost two.
 */
export class RealmRequests {
  /** One error for each realm that failed. */
  readonly errors: PosternError[] = [];
  /** The number of guesses that remain, by the index of the realm. Only responses that are not encrypted can be read. */
  readonly guessesLeft = new Map<number, number>();
  /** The realms that have no record of the account. */
  readonly unregistered = new Set<number>();
  readonly #options: RealmRequestsOptions;
  readonly #sent = new Map<string, Promise<RealmReply>>();
  /** The latest exchange with each realm. */
  readonly #exchanges = new Map<number, Promise<RealmReply>>();
  readonly #failed = new Set<number>();
  readonly #rounds: Round[] = [];
  /** The number of requests to each realm. */
  readonly #requests = new Map<number, number>();

  constructor(options: RealmRequestsOptions) {
    this.#options = options;
  }

  /** Sends a request of the SDK. Null if the realm failed or was given up. Never rejects. */
  readonly send = (request: SdkRequest): Promise<RealmReply> => {
    const { index, body } = request;
    const realm = this.#options.config.realms[index];
    // The bytes of an encrypted request differ each time, so that a repeated one looks new.
    if (realm === undefined || (realm.publicKey !== null && this.#failed.has(index))) return Promise.resolve(null);
    const key = `${index} ${Buffer.from(body).toString('base64')}`;
    const known = this.#sent.get(key);
    if (known !== undefined) return known;
    // A realm that was given up in an earlier round may still count its guess. The tag of the right PIN, which resets the count, has to
    // come after that.
    const before = this.#exchanges.get(index) ?? Promise.resolve();
    const exchange = before.then(() => this.#exchange(realm, request));
    this.#exchanges.set(index, exchange);
    const reply = this.#inRound(index, exchange);
    this.#sent.set(key, reply);
    return reply;
  };

  /** Resolves when all requests have ended, also those that were given up. */
  settled(): Promise<unknown> {
    return Promise.all(this.#exchanges.values());
  }

  /** Returns the response, or null if it does not come in time after those of enough other realms. */
  #inRound(index: number, exchange: Promise<RealmReply>): Promise<RealmReply> {
    const { isRecovery, config, runtime } = this.#options;
    const enough = isRecovery ? config.recoverThreshold : Number.POSITIVE_INFINITY;
    const round = this.#roundOf(index);
    return new Promise((resolve) => {
      let grace: Timer | undefined;
      const settle = (reply: RealmReply) => {
        if (!round.waiting.delete(limit)) return;
        grace?.cancel();
        if (reply !== null) round.replied += 1;
        if (round.replied >= enough) for (const each of round.waiting) each();
        resolve(reply);
      };
      const limit = () => {
        grace ??= runtime.after(graceMs, () => settle(null));
      };
      round.waiting.add(limit);
      if (round.replied >= enough) limit();
      void exchange.then(settle);
    });
  }

  /** The SDK waits for the responses of a round before it sends the next one, and each realm gets one request in a round. */
  #roundOf(index: number): Round {
    const number = this.#requests.get(index) ?? 0;
    this.#requests.set(index, number + 1);
    const round = this.#rounds[number] ?? { replied: 0, waiting: new Set() };
    this.#rounds[number] = round;
    return round;
  }

  async #exchange(realm: BackupRealm, { index, headers, body }: SdkRequest): Promise<RealmReply> {
    const { transport, call } = this.#options;
    const { origin, pathname } = realm.address;
    try {
      return await transport.send(
        {
          operation: 'realmRequest',
          target: { origin, chosenBy: 'operator' },
          method: 'POST',
          path: `${pathname}req`,
          headers: { ...headers },
          text: Buffer.from(body),
          mostMs: requestMs,
          limits: { bytes: maxReplyBytes },
        },
        call,
        (answer) => this.#read(index, realm, answer),
      );
    } catch (error) {
      this.#failed.add(index);
      this.errors.push(asPosternError(error));
      return null;
    }
  }

  #read(index: number, { publicKey }: BackupRealm, { status, body, retryAfter }: PlatformAnswer): RealmReply {
    if (status >= 500) throw new PosternError('platform_failed', `A key realm failed with status ${status}`);
    if (status === 429) {
      const retryAfterSeconds = /^\d{1,5}$/.test(retryAfter ?? '') ? Number(retryAfter) : 60;
      throw new PosternError('platform_rate_limit', "A key realm's rate limit", { retryAfterSeconds });
    }
    if (status !== 200) throw new InvalidResponseError(`a key realm refused a request with status ${status}`);
    if (body.length > maxReplyBytes) throw new InvalidResponseError('the response of a key realm is too large');
    if (publicKey === null) this.#learn(index, readReply(body));
    return { status, body };
  }

  #learn(index: number, outcome: unknown): void {
    if (outcome === 'NotRegistered') this.unregistered.add(index);
    if (outcome === 'NoGuesses') this.guessesLeft.set(index, 0);
    const { Ok: ok } = outcome as { Ok?: { num_guesses?: unknown; guess_count?: unknown } };
    const left = Number(ok?.num_guesses) - Number(ok?.guess_count);
    if (Number.isInteger(left)) this.guessesLeft.set(index, Math.max(0, left));
  }
}

/** Returns the value of the only member of a response, such as `{ Recover1: 'NoGuesses' }`. */
function readReply(body: Uint8Array): unknown {
  try {
    const [outcome] = Object.values(decode(body, { rejectDuplicateMapKeys: true, allowIndefinite: false }) as object);
    if (typeof outcome === 'string' || (typeof outcome === 'object' && outcome !== null)) return outcome;
  } catch {
    // Not CBOR, or not as strict as Juicebox's realms write it.
  }
  throw new InvalidResponseError('the response of a key realm is not one of Juicebox');
}
