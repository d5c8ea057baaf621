import { LRUCache } from 'lru-cache';
import type { PlatformMessages } from '../../platform/messages-port.ts';
import type { RegisteredChatKeys } from '../../shared/model/sealed-event.ts';
import { upTo } from '../../shared/runtime/lru.ts';
import { Peers, participantsOf } from '../encryption/index.ts';

/** The lifetime of cached public keys. After it they are read again, because a user may have registered new keys. */
const lifetimeMs = 5 * 60_000;
const maxConversations = 5_000;

interface Kept {
  readonly peers: Peers;
  readonly keys: number;
  readonly until: number;
}

/** Each public key counts as one more conversation, because a user may have registered many. */
const mostPeers = { maxSize: maxConversations, sizeCalculation: ({ keys }: Kept) => 1 + keys };

/**
 * Caches the verified public keys of one account's conversations, as long as the account's private keys are cached. The
 * cache is not shared between accounts. If it were, the proxy of one caller could supply the public keys that another
 * caller encrypts for.
 */
export class KnownConversations {
  readonly #peers = new LRUCache<string, Kept>(mostPeers);
  readonly #reached = new LRUCache<string, string>(upTo(maxConversations));
  #own: { version: string; until: number } | undefined;

  /** Returns the version of the account's own public keys. */
  async ownVersion(nowMs: number, find: () => Promise<string | undefined>): Promise<string | undefined> {
    if (this.#own !== undefined && this.#own.until > nowMs) return this.#own.version;
    const version = await find();
    if (version !== undefined) this.#own = { version, until: nowMs + lifetimeMs };
    return version;
  }

  /** Returns the participants' public keys of each conversation. Keys that are not cached are read in one request. */
  async peersOf(ids: readonly string[], messages: PlatformMessages, nowMs: number): Promise<Map<string, Peers>> {
    const found = new Map<string, Peers>();
    const asked = ids.filter((id) => {
      const kept = this.#peers.get(id);
      if (kept === undefined || kept.until <= nowMs) return true;
      found.set(id, kept.peers);
      return false;
    });
    if (asked.length === 0) return found;
    const users = [...new Set(asked.flatMap((id) => participantsOf(id) ?? []))];
    const keysOf = new Map<string, RegisteredChatKeys[]>(users.map((user) => [user, []]));
    const registered = users.length === 0 ? [] : await messages.publicKeys(users);
    for (const keys of registered) keysOf.get(keys.userId)?.push(keys);
    for (const id of asked) {
      const keys = (participantsOf(id) ?? []).flatMap((user) => keysOf.get(user) ?? []);
      const peers = new Peers(keys);
      this.#peers.set(id, { peers, keys: keys.length, until: nowMs + lifetimeMs });
      found.set(id, peers);
    }
    return found;
  }

  /** Removes the keys of a conversation from the cache. */
  forget(id: string): void {
    this.#peers.delete(id);
  }

  /** Records a key version of the conversation, if one is given. Returns the newest version recorded so far. */
  recordKeyVersion(id: string, version?: string): string | undefined {
    const before = this.#reached.get(id);
    if (version === undefined || (before !== undefined && BigInt(before) >= BigInt(version))) return before;
    this.#reached.set(id, version);
    return version;
  }
}
