import { createHash, createHmac } from 'node:crypto';
import { join } from 'node:path';
import { enroll, type RealmRecord } from '../../messaging/encryption/recovery/enroll.ts';
import { SHARES } from '../../messaging/encryption/recovery/shamir.ts';
import { Stretcher } from '../../messaging/encryption/recovery/stretch.ts';
import type { User } from '../dataset/types.ts';
import { chatPrivateKeysFor, encryptionCodeFor } from '../seed/credentials.ts';
import { Realm } from './realm.ts';
import { RealmStore } from './realm-store.ts';

/** The three key realms. They share nothing: each has a file of its own, and may fail alone. */
export class Realms {
  readonly #seed: string;
  readonly #stores: readonly RealmStore[];
  readonly #realms: readonly Realm[];
  readonly #stretcher = new Stretcher();
  readonly #enrolling = new Map<string, Promise<void>>();

  constructor(dataDir: string | null, seed: string) {
    this.#seed = seed;
    this.#stores = openStores(dataDir);
    this.#realms = this.#stores.map((store) => new Realm(store));
  }

  at(place: number): Realm | undefined {
    return this.#realms[place - 1];
  }

  /**
   * Those who have chat keys from the start are enrolled when somebody first asks for them: what their codes are stretched
   * to takes too long for a start. All of it derives from the seed, so that each realm, whenever it is asked, comes to the
   * record that fits the others'.
   */
  async enrolled(user: User, place: number): Promise<void> {
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

/** A realm whose disk refuses says so when it is asked itself, and does not hinder the others. */
function putIfPossible(store: RealmStore, accountId: string, record: RealmRecord | undefined): void {
  if (record === undefined) return;
  try {
    store.putIfNone(accountId, record);
  } catch {
    // Asked again, it tries again.
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

/** The same bytes for the same label, one stretch after the other. */
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
