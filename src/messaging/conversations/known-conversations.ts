import { LRUCache } from 'lru-cache';
import type { PlatformMessages } from '../../platform/messages-port.ts';
import { Peers, participantsOf } from '../encryption/index.ts';

/** Public keys are read again after this time, because a user may have new ones. */
const freshMs = 5 * 60_000;
/** `maxSize` instead of `max`, because `max` would allocate the lists for all conversations at once, for each account. */
const mostConversations = { maxSize: 5_000, sizeCalculation: () => 1 };

interface Kept {
  readonly peers: Peers;
  readonly until: number;
}

/**
 * The checked public keys of the conversations of one account, cached as long as its recovered keys. The cache belongs to those
 * keys, because a caller's proxy must not decide which public keys another caller encrypts for.
 */
export class KnownConversations {
  readonly #peers = new LRUCache<string, Kept>(mostConversations);
  readonly #reached = new LRUCache<string, string>(mostConversations);
  #own: { version: string; until: number } | undefined;

  /** Returns the version of the account's own public keys. */
  async ownVersion(nowMs: number, find: () => Promise<string | undefined>): Promise<string | undefined> {
    if (this.#own !== undefined && this.#own.until > nowMs) return this.#own.version;
    const version = await find();
    if (version !== undefined) this.#own = { version, until: nowMs + freshMs };
    return version;
  }

  /** Returns the participants' keys of each conversation. Reads all keys that are not cached in one request. */
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
    const registered = users.length === 0 ? [] : await messages.publicKeys(users);
    for (const id of asked) {
      const own: readonly string[] = participantsOf(id) ?? [];
      const peers = new Peers(registered.filter(({ userId }) => own.includes(userId)));
      this.#peers.set(id, { peers, until: nowMs + freshMs });
      found.set(id, peers);
    }
    return found;
  }

  /** Removes the keys of a conversation, so that they are read again. */
  forget(id: string): void {
    this.#peers.delete(id);
  }

  /** Records a version of the conversation's key, if given. Returns the newest version that was recorded. */
  reached(id: string, version?: string): string | undefined {
    const before = this.#reached.get(id);
    if (version === undefined || (before !== undefined && BigInt(before) >= BigInt(version))) return before;
    this.#reached.set(id, version);
    return version;
  }
}
