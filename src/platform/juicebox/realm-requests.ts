import { decode } from 'cborg';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { PlatformAnswer } from '../http/answer.ts';
import type { Transport } from '../http/transport.ts';
import { InvalidResponseError } from '../http/wire.ts';
import type { PlatformCall } from '../port.ts';
import type { BackupConfig, BackupRealm } from './config.ts';
import type { RealmReply, SdkRequest } from './sdk-workers.ts';

/** When enough realms have responded in a phase, the others have this time. */
const graceMs = 300;
/** The same after a phase in which a response was missing, so that a slow realm delays a recovery by 400 ms in all. */
const laterGraceMs = 100;
/** The limit of one request. */
const requestMs = 10_000;
/** The largest response of a realm has 436 bytes. */
const maxReplyBytes = 8_192;

export interface RealmRequestsOptions {
  readonly config: BackupConfig;
  readonly call: PlatformCall;
  readonly transport: Transport;
  readonly runtime: Pick<Runtime, 'after'>;
  /** The number of realms whose responses are enough, so that slower ones are given up. */
  readonly enough: number;
}

/**
 * One step of the protocol, such as `Recover2`. The SDK sends it to all realms, and waits for all of them before the
 * next phase. A phase takes an encrypting realm two requests if it needs a new session.
 */
interface Phase {
  /** The number of realms that have responded without a refusal. Refusals of encrypting realms cannot be read. */
  responded: number;
  isOver: boolean;
  /** Each gives up a request. */
  readonly waiting: Set<() => void>;
}

/** A response, and whether it ends the phase of its realm. */
interface Exchanged {
  readonly reply: RealmReply;
  readonly effect: 'responded' | 'refused' | 'continues';
}

const failed: Exchanged = { reply: null, effect: 'refused' };

/**
 * Sends the requests of one operation of the SDK, which has no time limits and waits for the slowest realm. A request
 * is never repeated, because a repeated guess would cost two.
 */
export class RealmRequests {
  /** One error for each request that failed. */
  readonly errors: PosternError[] = [];
  /**
   * The number of guesses that remain, by the index of the realm. Only responses that are not encrypted can be read.
   */
  readonly guessesLeft = new Map<number, number>();
  /** The realms that have no record of the account. */
  readonly unregistered = new Set<number>();
  /** The number of requests that failed or were given up. */
  missing = 0;
  readonly #options: RealmRequestsOptions;
  readonly #phases: Phase[] = [];
  /** The number of phases that each realm has completed. */
  readonly #completed = new Map<number, number>();
  /** All exchanges with each realm. */
  readonly #exchanges = new Map<number, Promise<unknown>>();

  constructor(options: RealmRequestsOptions) {
    this.#options = options;
  }

  /** The number of realms that responded in each phase. */
  get responded(): readonly number[] {
    return this.#phases.map(({ responded }) => responded);
  }

  /** Sends a request of the SDK. Null if the request failed or was given up. Never rejects. */
  readonly send = (request: SdkRequest): Promise<RealmReply> => {
    const { index, body } = request;
    const realm = this.#options.config.realms[index];
    if (realm === undefined) return Promise.resolve(null);
    const isHandshake = realm.publicKey !== null && isHandshakeOnly(body);
    const before = this.#exchanges.get(index);
    // A realm that was given up may still count its guess. The tag of the right PIN, which resets the count, has to
    // come after that.
    const exchange = isHandshake
      ? this.#exchange(realm, request, true)
      : Promise.resolve(before).then(() => this.#exchange(realm, request, false));
    this.#exchanges.set(index, Promise.all([before, exchange]));
    return this.#inPhase(index, exchange);
  };

  /** Resolves when all requests have ended, also those that were given up. */
  settled(): Promise<unknown> {
    return Promise.all(this.#exchanges.values());
  }

  /** Returns the response, or null if it does not come in time after those of enough other realms. */
  #inPhase(index: number, exchange: Promise<Exchanged>): Promise<RealmReply> {
    const number = this.#completed.get(index) ?? 0;
    const phase = this.#phases[number] ?? { responded: 0, isOver: false, waiting: new Set() };
    this.#phases[number] = phase;
    return new Promise((resolve) => {
      const settle = ({ reply, effect }: Exchanged) => {
        if (!phase.waiting.delete(giveUp)) return;
        if (reply === null) this.missing += 1;
        if (effect !== 'continues') this.#completed.set(index, number + 1);
        if (effect === 'responded') this.#count(phase);
        resolve(reply);
      };
      const giveUp = () => settle(failed);
      phase.waiting.add(giveUp);
      if (phase.isOver) giveUp();
      void exchange.then(settle);
    });
  }

  #count(phase: Phase): void {
    phase.responded += 1;
    if (phase.responded !== this.#options.enough) return;
    this.#options.runtime.after(this.missing > 0 ? laterGraceMs : graceMs, () => {
      phase.isOver = true;
      for (const giveUp of phase.waiting) giveUp();
    });
  }

  async #exchange(realm: BackupRealm, request: SdkRequest, isHandshake: boolean): Promise<Exchanged> {
    const { index, headers, body } = request;
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
        (answer) => this.#read(index, realm, answer, isHandshake),
      );
    } catch (error) {
      this.errors.push(asPosternError(error));
      return failed;
    }
  }

  #read(index: number, { publicKey }: BackupRealm, answer: PlatformAnswer, isHandshake: boolean): Exchanged {
    const { status, body, retryAfter } = answer;
    if (status >= 500) throw new PosternError('platform_failed', `A key realm failed with status ${status}`);
    if (status === 429) {
      const retryAfterSeconds = /^\d{1,5}$/.test(retryAfter ?? '') ? Number(retryAfter) : 60;
      throw new PosternError('platform_rate_limit', "A key realm's rate limit", { retryAfterSeconds });
    }
    if (status !== 200) throw new InvalidResponseError(`a key realm refused a request with status ${status}`);
    if (body.length > maxReplyBytes) throw new InvalidResponseError('the response of a key realm is too large');
    const reply = { body };
    const content = readCbor(body);
    if (publicKey === null) return { reply, effect: this.#learn(index, outcomeOf(content)) };
    // The realm has not read the request, so the SDK may repeat it in a new session.
    if (content === 'MissingSession') return { reply, effect: 'continues' };
    // The SDK would repeat a request after `Unavailable`, and a guess may have been counted.
    if (typeof content === 'string')
      throw new PosternError('platform_failed', 'A key realm could not handle a request');
    return { reply, effect: isHandshake ? 'continues' : 'responded' };
  }

  #learn(index: number, outcome: unknown): Exchanged['effect'] {
    if (outcome === 'NotRegistered') this.unregistered.add(index);
    if (outcome === 'NoGuesses') this.guessesLeft.set(index, 0);
    const { Ok: ok } = outcome as { Ok?: { num_guesses?: unknown; guess_count?: unknown } };
    const left = Number(ok?.num_guesses) - Number(ok?.guess_count);
    if (Number.isInteger(left)) this.guessesLeft.set(index, Math.max(0, left));
    return ok !== undefined || outcome === 'Ok' ? 'responded' : 'refused';
  }
}

/**
 * Returns true for an encrypted request that opens a session and has no content, so that the realm does not read its
 * record.
 */
function isHandshakeOnly(body: Uint8Array): boolean {
  return (decode(body) as { kind?: unknown }).kind === 'HandshakeOnly';
}

function readCbor(body: Uint8Array): unknown {
  try {
    return decode(body, { rejectDuplicateMapKeys: true, allowIndefinite: false });
  } catch {
    throw new InvalidResponseError('the response of a key realm is not CBOR as Juicebox writes it');
  }
}

/** Returns the value of the only member of a response, such as `{ Recover1: 'NoGuesses' }`. */
function outcomeOf(content: unknown): unknown {
  const [outcome] = typeof content === 'object' && content !== null ? Object.values(content) : [];
  if (typeof outcome === 'string' || (typeof outcome === 'object' && outcome !== null)) return outcome;
  throw new InvalidResponseError('the response of a key realm is not one of Juicebox');
}
