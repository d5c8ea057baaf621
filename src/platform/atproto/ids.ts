import { LRUCache } from 'lru-cache';
import type { PlatformIdentifiers, UserReference } from '../port.ts';
import {
  type DecodedIdentifier,
  decodeRecordId,
  decodeUserId,
  type EncodedId,
  encodeDid,
  encodeRecordUri,
  type HashedIdentifier,
  recordOfHash,
} from './identifiers.ts';
import { hashNotFound, type Subject, subjectNotFound } from './problems.ts';
import type { Collection, StrongRef } from './records.ts';
import { userSubject } from './references.ts';

/** The time for which an identifier is stored after it was last part of a response. */
const storedMs = 30 * 24 * 60 * 60 * 1_000;
/** A process stores an identifier again only after this time. */
const recentMs = 24 * 60 * 60 * 1_000;
const maxRecent = 10_000;
const maxStored = 100_000;
/**
 * The limits of the identifiers that one call stores. An account can put any number of long identifiers into its
 * records.
 */
const maxPerCall = 500;
const maxLength = 1_000;

/** The identifiers that do not fit into an id. They are stored under their hash when a response contains the id. */
export class HashedIds {
  readonly #stored: PlatformIdentifiers;
  /** The hashes that this process has stored recently. */
  readonly #recent = new LRUCache<string, true>({ max: maxRecent, ttl: recentMs });

  constructor(stored: PlatformIdentifiers) {
    this.#stored = stored;
  }

  async find(hash: string): Promise<string | null> {
    const identifier = await this.#stored.find(hash);
    if (identifier === null) this.#recent.delete(hash);
    return identifier;
  }

  async save(hashed: readonly HashedIdentifier[]): Promise<void> {
    const wanted = hashed
      .filter(({ hash, identifier }) => identifier.length <= maxLength && !this.#recent.has(hash))
      .slice(0, maxPerCall);
    if (wanted.length === 0) return;
    await this.#stored.save(wanted, storedMs, maxStored);
    for (const { hash } of wanted) this.#recent.set(hash, true);
  }
}

/** Converts identifiers to ids and ids to identifiers for one call. */
export class Ids {
  readonly #hashed: HashedIds;
  readonly #unsaved = new Map<string, HashedIdentifier>();

  constructor(hashed: HashedIds) {
    this.#hashed = hashed;
  }

  /** Returns the id of a DID, or `null` if it is not a DID. Call `save` before the id is returned to the caller. */
  ofUser(did: string): string | null {
    return this.#note(encodeDid(did));
  }

  /** Returns the id of a record, or `null` if `uri` is not the at:// URI of a record. Call `save` as for `ofUser`. */
  ofRecord(uri: string): string | null {
    return this.#note(encodeRecordUri(uri));
  }

  /** Stores the identifiers that do not fit into the ids since the last call, in one write. */
  async save(): Promise<void> {
    if (this.#unsaved.size === 0) return;
    const hashed = [...this.#unsaved.values()];
    this.#unsaved.clear();
    await this.#hashed.save(hashed);
  }

  /** Returns the DID or handle of a user. The schemas of the methods check the form of a handle. */
  async actorOf(user: UserReference): Promise<`did:${string}:${string}`> {
    if (!('userId' in user)) return user.userName.toLowerCase() as `did:${string}:${string}`;
    const subject = userSubject(user);
    const did = await this.#resolve(decodeUserId(user.userId), subject);
    if (!did.startsWith('did:')) throw subjectNotFound(subject);
    return did as `did:${string}:${string}`;
  }

  /** Returns the at:// URI of a record id. */
  async uriOf(id: string, collection: Collection, subject: Subject): Promise<StrongRef['uri']> {
    const decoded = decodeRecordId(id, collection);
    const identifier = await this.#resolve(decoded, subject);
    const uri = decoded && 'hash' in decoded ? recordOfHash(id, collection, identifier) : identifier;
    if (uri === null) throw subjectNotFound(subject);
    return uri as StrongRef['uri'];
  }

  async #resolve(decoded: DecodedIdentifier<string> | null, subject: Subject): Promise<string> {
    if (decoded === null) throw subjectNotFound(subject);
    if ('identifier' in decoded) return decoded.identifier;
    const identifier = await this.#hashed.find(decoded.hash);
    if (identifier === null) throw hashNotFound(subject);
    return identifier;
  }

  #note(encoded: EncodedId | null): string | null {
    if (encoded?.hashed) this.#unsaved.set(encoded.hashed.hash, encoded.hashed);
    return encoded?.id ?? null;
  }
}
