import { createHash, createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { User } from '../dataset/types.ts';
import { chatPrivateKeysFor, encryptionCodeFor } from '../seed/credentials.ts';
import type { Random } from './oprf.ts';
import { Realm } from './realm.ts';
import { RealmStore } from './realm-store.ts';
import { makeRecords, type PinHashing, recoverThreshold } from './seed-record.ts';
import { RealmTokens } from './tokens.ts';

/** X's limit. */
const allowedGuesses = 20;

/** The ids of the realms, sorted, because Juicebox numbers the shares by this order. */
const realmIds = [1, 2, 3]
  .map((number) => createHash('sha256').update(`postern sandbox realm ${number}`).digest().subarray(0, 16))
  .sort(Buffer.compare);

/** The three key realms. Each has its own file and can fail independently of the others. */
export class Realms {
  readonly #seed: string;
  readonly #hashing: PinHashing;
  readonly #stores: readonly RealmStore[];
  readonly #realms: readonly Realm[];
  readonly #tokens: RealmTokens;
  readonly #seeding = new Map<string, Promise<void>>();

  constructor(dataDir: string | null, seed: string, hashing: PinHashing) {
    this.#seed = seed;
    this.#hashing = hashing;
    this.#stores = openStores(dataDir);
    this.#realms = this.#stores.map((store) => new Realm(store, randomBytes));
    this.#tokens = new RealmTokens(createHash('sha256').update(`${seed}\0realm tokens`).digest());
  }

  get(place: number): Realm | undefined {
    return this.#realms[place - 1];
  }

  /** Returns the id of the user of a token for a realm, or undefined if the token is not valid. */
  userOf(token: string, place: number, now: number): string | undefined {
    return this.#tokens.read(token, idOf(place), now);
  }

  /** Returns X's `juicebox_config` of a user. `origin` is that of the sandbox. */
  configFor({ id: userId }: User, origin: string, now: number) {
    const realms = realmIds.map((id, index) => ({
      id: id.toString('hex'),
      address: `${origin}/sandbox/realms/${index + 1}/`,
    }));
    const sdk = {
      realms,
      register_threshold: realms.length,
      recover_threshold: recoverThreshold,
      pin_hashing_mode: this.#hashing,
    };
    return {
      key_store_token_map_json: JSON.stringify(sdk),
      token_map: realms.map(({ id, address }) => ({
        key: id,
        value: { address, token: this.#tokens.make({ realmId: id, userId }, now) },
      })),
      max_guess_count: allowedGuesses,
    };
  }

  /**
   * Registers a user of the seed at the realms, when a realm is first asked about the user. Registration at start would
   * be too slow, because the PIN hash takes long. All secrets derive from the seed, so realms that are registered at
   * different times get records that belong together.
   */
  async ensureSeeded(user: User, place: number): Promise<void> {
    const { chatLabel: label, hasChatKeys } = user;
    if (label === null || !hasChatKeys || this.#stores[place - 1]?.knows(user.id)) return;
    const under = this.#seeding.get(user.id);
    if (under !== undefined) return under;
    const seeding = this.#registerSeeded(user.id, label).finally(() => this.#seeding.delete(user.id));
    this.#seeding.set(user.id, seeding);
    return seeding;
  }

  clear(): void {
    for (const store of this.#stores) store.clear();
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#seeding.values());
    for (const store of this.#stores) store.close();
  }

  async #registerSeeded(accountId: string, label: string): Promise<void> {
    const records = await makeRecords(
      {
        pin: encryptionCodeFor(this.#seed, label),
        secret: chatPrivateKeysFor(this.#seed, label),
        realmIds,
        hashing: this.#hashing,
      },
      seededRandom(this.#seed, label),
    );
    this.#stores.forEach((store, index) => {
      const record = records[index];
      try {
        if (record !== undefined && !store.knows(accountId)) store.put(accountId, record, allowedGuesses);
      } catch {
        // A failing disk of one realm must not block the others. The next request for this user tries again.
      }
    });
  }
}

function idOf(place: number): string {
  return realmIds[place - 1]?.toString('hex') ?? '';
}

function openStores(dataDir: string | null): RealmStore[] {
  const stores: RealmStore[] = [];
  try {
    for (let place = 1; place <= realmIds.length; place++) {
      stores.push(new RealmStore(dataDir === null ? null : join(dataDir, `realm-${place}.sqlite`)));
    }
    return stores;
  } catch (error) {
    for (const store of stores) store.close();
    throw error;
  }
}

/** Returns a deterministic source of bytes: each label gives the same sequence in every run. */
function seededRandom(seed: string, label: string): Random {
  let drawn = 0;
  return (length) => {
    const draw = drawn++;
    const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
      createHmac('sha256', `${seed}\0realms`).update(`${label}\0${draw}\0${index}`).digest(),
    );
    return Uint8Array.from(Buffer.concat(blocks).subarray(0, length));
  };
}
