import type { PlacedEvent, PlacedKeyChange, SealedKind } from '../../shared/model/sealed-event.ts';
import { turn } from '../../shared/runtime/turns.ts';
import {
  type ChatEvent,
  type ConversationKey,
  ConversationKeys,
  type Opened,
  openEvent,
  type Peers,
  placeEvent,
  type Reader,
} from '../encryption/index.ts';
import type { Actor } from './actor.ts';
import { untrustedKeys } from './refusals.ts';

/** Maps each kind of event on the platform to the kind that the encrypted event must have. */
const contentKinds: Record<SealedKind, ChatEvent['kind']> = {
  message: 'message',
  edit: 'edit',
  reaction_added: 'reactionAdded',
  reaction_removed: 'reactionRemoved',
  deletion: 'delete',
  key_change: 'keyChange',
};

/** A conversation with all the conversation keys that could be decrypted. Callers wipe the keys after use. */
export class OpenConversation {
  readonly id: string;
  readonly #reader: Reader;
  readonly #actor: Actor;

  constructor(id: string, actor: Actor, peers: Peers) {
    this.id = id;
    this.#actor = actor;
    this.#reader = { self: actor.self, conversationId: id, peers, keys: new ConversationKeys() };
  }

  /** Opens a conversation with the keys of its key changes. */
  static async of(
    id: string,
    actor: Actor,
    peers: Peers,
    keyChanges: readonly PlacedKeyChange[],
  ): Promise<OpenConversation> {
    const open = new OpenConversation(id, actor, peers);
    for (const change of keyChanges) {
      // Opening a large key change takes several milliseconds.
      await turn();
      open.#adopt(change);
    }
    return open;
  }

  /**
   * Decrypts an event. Returns `corrupt` if the encrypted kind or target differs from the unencrypted one on the
   * platform.
   */
  open(event: PlacedEvent): Opened<ChatEvent> {
    const raw = rawOf(event);
    if (raw === null) return { ok: false, reason: 'corrupt' };
    const opened = openEvent(raw, this.#reader);
    if (!opened.ok) return opened;
    return matchesPlatform(opened.value, event) ? opened : { ok: false, reason: 'corrupt' };
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

  /** Adds the key of a new key change. Throws if the key cannot be decrypted. */
  adoptNew(change: PlacedKeyChange): void {
    const reason = this.#adopt(change);
    if (reason !== null) throw untrustedKeys(`the conversation's new key does not open (${reason}): ${this.id}`);
  }

  wipe(): void {
    this.#reader.keys.zeroise();
  }

  #adopt(change: PlacedKeyChange): string | null {
    const { recovered } = this.#actor;
    const name = `${this.id} ${change.version} ${change.messageId}`;
    const kept = recovered.kept(name);
    if (kept !== undefined) {
      this.#reader.keys.adopt({ version: change.version, key: kept });
      kept.fill(0);
      return null;
    }
    const opened = this.open(change);
    if (!opened.ok) return opened.reason;
    const { value } = opened;
    if (value.kind !== 'keyChange' || value.key.version !== change.version) return 'corrupt';
    if (!this.#reader.keys.adopt(value.key)) return 'wrong_key';
    recovered.keep(name, value.key.key);
    this.#actor.known.recordKeyVersion(this.id, change.version);
    value.key.key.fill(0);
    return null;
  }
}

/** Encodes an event as a `MessageEvent` of the encryption scheme. Returns `null` if the event is not valid. */
function rawOf({ sealed, seqId, createdAt }: PlacedEvent): string | null {
  if (sealed === null) return null;
  try {
    return placeEvent(sealed, { sequenceId: seqId, createdAtMs: Date.parse(createdAt) });
  } catch {
    return null;
  }
}

function matchesPlatform(value: ChatEvent, { kind, targetSeqId }: PlacedEvent): boolean {
  if (value.kind !== contentKinds[kind]) return false;
  switch (value.kind) {
    case 'edit':
    case 'reactionAdded':
    case 'reactionRemoved':
      return value.targetSequenceId === targetSeqId;
    case 'delete':
      return targetSeqId !== null && value.sequenceIds.includes(targetSeqId);
    default:
      return targetSeqId === null;
  }
}
