import { createHash } from 'node:crypto';
import type { PlacedEvent } from '../../shared/model/sealed-event.ts';
import { turn } from '../../shared/runtime/turns.ts';
import {
  type ChatEvent,
  type ConversationKey,
  ConversationKeys,
  conversationKeyLength,
  type Opened,
  openEvent,
  type Peers,
  type Reader,
} from '../encryption/index.ts';
import type { Actor } from './actor.ts';
import { untrustedKeys } from './refusals.ts';

/** A conversation with all the conversation keys that could be decrypted. Callers wipe the keys after use. */
export class OpenConversation {
  readonly id: string;
  readonly #reader: Reader;
  readonly #actor: Actor;
  /** Why key changes did not open. */
  readonly #refusals = new Set<string>();

  constructor(id: string, actor: Actor, peers: Peers) {
    this.id = id;
    this.#actor = actor;
    this.#reader = { self: actor.self, conversationId: id, peers, keys: new ConversationKeys() };
  }

  /** Opens a conversation with the keys of its key changes. */
  static async of(id: string, actor: Actor, peers: Peers, keyChanges: readonly string[]): Promise<OpenConversation> {
    const open = new OpenConversation(id, actor, peers);
    await open.adoptAll(keyChanges);
    return open;
  }

  /** Decrypts an event. Returns `corrupt` if it is another event than the platform says. */
  open({ encoded, seqId, senderId }: Pick<PlacedEvent, 'encoded' | 'seqId' | 'senderId'>): Opened<ChatEvent> {
    const opened = openEvent(encoded, this.#reader);
    if (!opened.ok) return opened;
    const isMeant = opened.value.sequenceId === seqId && opened.value.senderId === senderId;
    return isMeant ? opened : { ok: false, reason: 'corrupt' };
  }

  /**
   * Returns the newest key, which encrypts new messages. Throws if an earlier call saw a newer key that the platform
   * does not return now.
   */
  latestKey(): ConversationKey {
    const key = this.#reader.keys.latest;
    if (key === undefined) throw untrustedKeys(`no key of the conversation opens: ${this.id}`);
    const reached = this.#actor.known.recordKeyVersion(this.id, key.version);
    if (reached !== key.version) throw untrustedKeys(`the conversation's key is older than one before it: ${this.id}`);
    return key;
  }

  /** Adds the keys of key changes, as far as they can be decrypted. */
  async adoptAll(keyChanges: readonly string[]): Promise<void> {
    for (const change of keyChanges) {
      // Opening a large key change takes several milliseconds.
      await turn();
      const reason = this.#adopt(change);
      if (reason !== null) this.#refusals.add(reason);
    }
  }

  /** True if all keys were encrypted for keys that the actor has replaced. */
  get needsNewKey(): boolean {
    return this.#reader.keys.latest === undefined && [...this.#refusals].join() === 'no_key';
  }

  /** Adds the key of a new key change. Throws if the key cannot be decrypted. */
  adoptNew(change: string): void {
    const reason = this.#adopt(change);
    if (reason !== null) throw untrustedKeys(`the conversation's new key does not open (${reason}): ${this.id}`);
  }

  wipe(): void {
    this.#reader.keys.zeroise();
  }

  /** A key that was decrypted before is found by the hash of its key change. */
  #adopt(change: string): string | null {
    const { recovered, known } = this.#actor;
    const name = `${this.id} ${createHash('sha256').update(change).digest('base64url')}`;
    const kept = recovered.kept(name);
    if (kept !== undefined) {
      const version = Buffer.from(kept.subarray(conversationKeyLength)).toString();
      this.#reader.keys.adopt({ version, key: kept.subarray(0, conversationKeyLength) });
      kept.fill(0);
      return null;
    }
    const opened = openEvent(change, this.#reader);
    if (!opened.ok) return opened.reason;
    const { value } = opened;
    if (value.kind !== 'keyChange') return 'corrupt';
    const { version, key } = value.key;
    if (!this.#reader.keys.adopt(value.key)) return 'wrong_key';
    const secret = Buffer.concat([key, Buffer.from(version)]);
    recovered.keep(name, secret);
    secret.fill(0);
    key.fill(0);
    known.recordKeyVersion(this.id, version);
    return null;
  }
}
