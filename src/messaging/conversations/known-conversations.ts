import { LRUCache } from 'lru-cache';
import type { PlatformMessages } from '../../platform/messages-port.ts';
import { Peers, participantsOf } from '../encryption/index.ts';

/** Public keys are asked for again after so long: somebody may have new ones. */
const freshMs = 5 * 60_000;
const mostConversations = 5_000;

interface Kept {
  readonly peers: Peers;
  readonly until: number;
}

/**
 * What is public of the conversations of one account, checked, for as long as its recovered keys are known. It belongs to
 * them, so that no caller's way to the platform decides whose keys another caller seals for.
 */
export class KnownConversations {
  readonly #peers = new LRUCache<string, Kept>({ max: mostConversations });
  readonly #reached = new LRUCache<string, string>({ max: mostConversations });
  #own: { version: string; until: number } | undefined;

  /** The version of the account's own public keys. */
  async ownVersion(nowMs: number, find: () => Promise<string | undefined>): Promise<string | undefined> {
    if (this.#own !== undefined && this.#own.until > nowMs) return this.#own.version;
    const version = await find();
    if (version !== undefined) this.#own = { version, until: nowMs + freshMs };
    return version;
  }

  /** Of each of these conversations, the keys of who takes part. One question for all that are not known. */
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

  /** To be asked for anew. */
  forget(id: string): void {
    this.#peers.delete(id);
  }

  /** The newest version of the conversation's key that was ever seen here. */
  reached(id: string, version?: string): string | undefined {
    const before = this.#reached.get(id);
    if (version === undefined || (before !== undefined && BigInt(before) >= BigInt(version))) return before;
    this.#reached.set(id, version);
    return version;
  }
}
