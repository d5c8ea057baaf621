import { LRUCache } from 'lru-cache';
import type { PlatformMessages } from '../../platform/messages-port.ts';
import type { PlacedEvent, RegisteredChatKeys } from '../../shared/model/sealed-event.ts';
import { upTo } from '../../shared/runtime/lru.ts';
import { Peers, participantsOf } from '../encryption/index.ts';

/** The lifetime of cached public keys and key changes. After it they are read again, because a user may have new keys. */
const lifetimeMs = 5 * 60_000;
const maxConversations = 5_000;
/** The maximum number of key changes of a conversation. Each is decrypted on the event loop. The oldest are left out. */
const maxKeyChanges = 100;
/** The maximum size of the cached key changes, and of the cached changes of messages, in encrypted characters. */
const maxChars = 1024 * 1024;

interface Kept {
  readonly peers: Peers;
  readonly keys: number;
  readonly until: number;
}

/** Each public key counts as one more conversation, because a user may have registered many. */
const mostPeers = { maxSize: maxConversations, sizeCalculation: ({ keys }: Kept) => 1 + keys };

interface KeptKeyChanges {
  readonly changes: readonly string[];
  readonly until: number;
}

const charsOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 1);

/**
 * Caches the verified public keys and the encrypted key changes of one account's conversations, as long as the account's
 * private keys are cached. The cache is not shared between accounts. If it were, the proxy of one caller could supply the
 * public keys that another caller encrypts for.
 */
export class KnownConversations {
  readonly #peers = new LRUCache<string, Kept>(mostPeers);
  readonly #reached = new LRUCache<string, string>(upTo(maxConversations));
  readonly #keyChanges = new LRUCache<string, KeptKeyChanges>({
    maxSize: maxChars,
    sizeCalculation: ({ changes }) => charsOf(changes),
  });
  readonly #changes = new LRUCache<string, readonly PlacedEvent[]>({
    maxSize: maxChars,
    sizeCalculation: (events) => charsOf(events.map(({ encoded }) => encoded)),
  });
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

  /** Removes what is cached about a conversation. */
  forget(id: string): void {
    this.#peers.delete(id);
    this.#keyChanges.delete(id);
  }

  /** Returns the key changes of a conversation, which are read with its newest event if they are not cached. */
  async keyChangesOf(id: string, messages: PlatformMessages, nowMs: number): Promise<readonly string[]> {
    const kept = this.#keyChanges.get(id);
    if (kept !== undefined && kept.until > nowMs) return kept.changes;
    return this.keepKeyChanges(id, (await messages.events(id, { count: 1, cursor: null })).keyChanges, nowMs);
  }

  /** Caches key changes together with those that are known. Returns all of them. Those of an older page may be older than the known ones. */
  keepKeyChanges(id: string, added: readonly string[], nowMs: number, isNewestPage = true): readonly string[] {
    const { changes: known, until } = this.#keyChanges.get(id) ?? { changes: [], until: 0 };
    const inOrder = isNewestPage ? [...known, ...added] : [...added.filter((each) => !known.includes(each)), ...known];
    const changes = [...new Set(inOrder)].slice(-maxKeyChanges);
    this.#keyChanges.set(id, { changes, until: isNewestPage ? nowMs + lifetimeMs : until });
    return changes;
  }

  /** Returns the events before a page of messages that change older messages, if this process has sent its cursor. */
  changesBefore(cursor: string): readonly PlacedEvent[] | undefined {
    return this.#changes.get(cursor);
  }

  keepChangesBefore(cursor: string, events: readonly PlacedEvent[]): void {
    this.#changes.set(cursor, events);
  }

  /** Records a key version of the conversation, if one is given. Returns the newest version recorded so far. */
  recordKeyVersion(id: string, version?: string): string | undefined {
    const before = this.#reached.get(id);
    if (version === undefined || (before !== undefined && BigInt(before) >= BigInt(version))) return before;
    this.#reached.set(id, version);
    return version;
  }
}
