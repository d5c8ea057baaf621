import { createHash, createHmac } from 'node:crypto';
import { join } from 'node:path';
import { enroll, type RealmRecord } from '../../messaging/encryption/recovery/enroll.ts';
import { SHARES } from '../../messaging/encryption/recovery/shamir.ts';
import type { Stretcher } from '../../messaging/encryption/recovery/stretch.ts';
import type { User } from '../dataset/types.ts';
import { chatPrivateKeysFor, encryptionCodeFor } from '../seed/credentials.ts';
import { Realm } from './realm.ts';
import { RealmStore } from './realm-store.ts';

/** The three key realms. Each has its own file and can fail independently of the others. */
export class Realms {
  readonly #seed: string;
  readonly #stores: readonly RealmStore[];
  readonly #realms: readonly Realm[];
  readonly #stretcher: Stretcher;
  readonly #enrolling = new Map<string, Promise<void>>();

  constructor(dataDir: string | null, seed: string, stretcher: Stretcher) {
    this.#seed = seed;
    this.#stretcher = stretcher;
    this.#stores = openStores(dataDir);
    this.#realms = this.#stores.map((store) => new Realm(store));
  }

  get(place: number): Realm | undefined {
    return this.#realms[place - 1];
  }

  /**
   * Enrolls a user of the seed at the realms, when a realm is first asked about the user. Enrollment at start would be
   * too slow, because the key derivation function takes long. All secrets derive from the seed, so realms that are
   * enrolled at different times get records that belong together.
   */
  async ensureEnrolled(user: User, place: number): Promise<void> {
    const { chatLabel: label, hasChatKeys } = user;
    if (label === null || !hasChatKeys || this.#stores[place - 1]?.find(user.id) !== undefined) return;
    const under = this.#enrolling.get(user.id);
    if (under !== undefined) return under;
    const enrolling = this.#enroll(user.id, label).finally(() => this.#enrolling.delete(user.id));
    this.#enrolling.set(user.id, enrolling);
    return enrolling;
  }

  clear(): void {
    for (const store of this.#stores) store.clear();
  }

  async close(): Promise<void> {
    await this.#stretcher.close();
    for (const store of this.#stores) store.close();
  }

  async #enroll(accountId: string, label: string): Promise<void> {
    const version = createHash('sha256').update(`${this.#seed}\0realms:${label}`).digest('hex').slice(0, 32);
    const stretched = await this.#stretcher.stretch(encryptionCodeFor(this.#seed, label), { accountId, version });
    const privateKeys = chatPrivateKeysFor(this.#seed, label);
    const records = enroll({ accountId, version, stretched, privateKeys }, seededRandom(this.#seed, label));
    this.#stores.forEach((store, index) => {
      putIfPossible(store, accountId, records[index]);
    });
  }
}

/**
 * Stores a record, ignoring errors, so that one realm with a failing disk does not block the others. The failing realm
 * reports its error when it is asked itself.
 */
function putIfPossible(store: RealmStore, accountId: string, record: RealmRecord | undefined): void {
  if (record === undefined) return;
  try {
    store.putIfNone(accountId, record);
  } catch {
    // The next request for this user tries again.
  }
}

function openStores(dataDir: string | null): RealmStore[] {
  const stores: RealmStore[] = [];
  try {
    for (let place = 1; place <= SHARES; place++) {
      stores.push(new RealmStore(dataDir === null ? null : join(dataDir, `realm-${place}.sqlite`)));
    }
    return stores;
  } catch (error) {
    for (const store of stores) store.close();
    throw error;
  }
}

/** Returns a deterministic source of bytes: each label gives the same sequence in every run. */
function seededRandom(seed: string, label: string) {
  let drawn = 0;
  return (length: number): Uint8Array => {
    const draw = drawn++;
    const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
      createHmac('sha256', `${seed}\0realms`).update(`${label}\0${draw}\0${index}`).digest(),
    );
    return Buffer.concat(blocks).subarray(0, length);
  };
}
