import type { PlacedEvent, PlacedKeyChange, SealedKind } from '../../shared/model/sealed-event.ts';
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

/** The kind inside the encrypted event that each kind on the platform must have. */
const saidKinds: Record<SealedKind, ChatEvent['kind']> = {
  message: 'message',
  edit: 'edit',
  reaction_added: 'reactionAdded',
  reaction_removed: 'reactionRemoved',
  deletion: 'delete',
  key_change: 'keyChange',
};

/** A conversation with all of its keys that could be decrypted. Callers wipe it after use. */
export class OpenConversation {
  readonly id: string;
  readonly #reader: Reader;
  readonly #actor: Actor;

  constructor(id: string, actor: Actor, peers: Peers, keyChanges: readonly PlacedKeyChange[]) {
    this.id = id;
    this.#actor = actor;
    this.#reader = { self: actor.self, conversationId: id, peers, keys: new ConversationKeys() };
    for (const change of keyChanges) this.#adopt(change);
  }

  /** Decrypts an event. Returns `corrupt` if its kind or target differ from the unencrypted ones on the platform. */
  open(event: PlacedEvent): Opened<ChatEvent> {
    const raw = rawOf(event);
    if (raw === null) return { ok: false, reason: 'corrupt' };
    const opened = openEvent(raw, this.#reader);
    if (!opened.ok) return opened;
    return isAsTold(opened.value, event) ? opened : { ok: false, reason: 'corrupt' };
  }

  /** Returns the key for new messages. Throws if the platform withholds a newer key that was seen before. */
  latestKey(): ConversationKey {
    const key = this.#reader.keys.latest;
    if (key === undefined) throw untrustedKeys(`no key of the conversation opens: ${this.id}`);
    const reached = this.#actor.known.reached(this.id, key.version);
    if (reached !== key.version) throw untrustedKeys(`the conversation's key is older than one before it: ${this.id}`);
    return key;
  }

  /** Adds the key of a new key change. Throws if it cannot be decrypted, because the caller is about to use it. */
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
    this.#actor.known.reached(this.id, change.version);
    value.key.key.fill(0);
    return null;
  }
}

/** Returns the event in the form of the scheme, or `null` if it cannot be one. */
function rawOf({ sealed, seqId, createdAt }: PlacedEvent): string | null {
  if (sealed === null) return null;
  try {
    return placeEvent(sealed, { sequenceId: seqId, createdAtMs: Date.parse(createdAt) });
  } catch {
    return null;
  }
}

function isAsTold(value: ChatEvent, { kind, targetSeqId }: PlacedEvent): boolean {
  if (value.kind !== saidKinds[kind]) return false;
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
