import { randomBytes } from 'node:crypto';
import { enroll } from '../../src/messaging/encryption/recovery/enroll.ts';
import { Guess } from '../../src/messaging/encryption/recovery/guess.ts';
import type { Stretcher } from '../../src/messaging/encryption/recovery/stretch.ts';
import { quickStretcher } from '../support/quick-stretcher.ts';
import { type Account, type Json, type Reply, request } from './harness.ts';

/** Calls the realms like a client that follows the contract without a gateway. */
export class RealmClient {
  readonly #url: () => string;
  readonly #stretcher: Stretcher;

  constructor(url: () => string, stretcher: Stretcher = quickStretcher) {
    this.#url = url;
    this.#stretcher = stretcher;
  }

  call(method: string, realm: number, step: string, as: Account, body?: object): Promise<Reply> {
    return request(this.#url(), method, `/sandbox/realms/${realm}/${step}`, { as, ...(body && { body }) });
  }

  async state(realm: number, as: Account): Promise<Json> {
    return (await this.call('GET', realm, 'record', as)).body;
  }

  stretch(code: string, as: Account, version: string): Promise<Uint8Array> {
    return this.#stretcher.stretch(code, { accountId: as.userId, version });
  }

  async enroll(as: Account, code: string, privateKeys: Uint8Array, realms = [1, 2, 3]): Promise<string> {
    const version = randomBytes(16).toString('hex');
    const stretched = await this.stretch(code, as, version);
    const records = enroll({ accountId: as.userId, version, stretched, privateKeys }, randomBytes);
    for (const realm of realms) {
      const record = records[realm - 1];
      if (record === undefined) throw new Error(`no realm ${realm}`);
      const body = {
        version,
        oprf_key_share: base64(record.oprfKeyShare),
        commitment: base64(record.commitment),
        unlock_tag: base64(record.unlockTag),
        sealed_share: base64(record.sealedShare),
        sealed_keys: base64(record.sealedKeys),
        replaces: (await this.state(realm, as)).version,
      };
      const reply = await this.call('PUT', realm, 'record', as, body);
      if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
    }
    return version;
  }

  /** Performs only the second step with a code that is not stretched, which is therefore wrong. */
  async guess(realm: number, as: Account, version: string): Promise<Json> {
    const guess = new Guess({ accountId: as.userId, version }, randomBytes(64), randomBytes);
    const body = { version, blinded_element: base64(guess.blindedElement) };
    return (await this.call('POST', realm, 'guesses', as, body)).body;
  }

  /** Performs all steps at two realms. Returns null if the code is wrong. */
  async recover(as: Account, code: string, [one = 1, other = 2]: number[] = []): Promise<Uint8Array | null> {
    const { version } = await this.state(one, as);
    const guess = new Guess({ accountId: as.userId, version }, await this.stretch(code, as, version), randomBytes);
    const evaluations = await Promise.all(
      [one, other].map(async (place) => {
        const body = { version, blinded_element: base64(guess.blindedElement) };
        const answer = (await this.call('POST', place, 'guesses', as, body)).body;
        if (answer.outcome !== 'evaluated') throw new Error(answer.outcome);
        return { place, evaluated: bytes(answer.evaluated_element), commitment: bytes(answer.commitment) };
      }),
    );
    const [first, second] = evaluations;
    const keys = first && second ? guess.combine(first, second) : null;
    if (keys === null) return null;
    const opened = await Promise.all(
      [one, other].map(async (place) => {
        const body = { version, unlock_tag: base64(keys.tagFor(place)) };
        const answer = (await this.call('POST', place, 'unlock', as, body)).body;
        if (answer.outcome !== 'unlocked') throw new Error(answer.outcome);
        const value = keys.openShare(place, bytes(answer.sealed_share)) ?? new Uint8Array();
        return { share: { place, value }, sealedKeys: bytes(answer.sealed_keys) };
      }),
    );
    const [mine, theirs] = opened;
    return mine && theirs ? keys.openKeys(mine.share, theirs.share, mine.sealedKeys) : null;
  }
}

export function base64(value: Uint8Array): string {
  return Buffer.from(value).toString('base64');
}

function bytes(text: string): Buffer {
  return Buffer.from(text, 'base64');
}
