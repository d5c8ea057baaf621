import type { SignedChatEvent } from './event.ts';

/**
 * Returns true if an event is allowed to change a message. A valid signature is not enough: only the author may edit a
 * message or delete it for all. A deletion for oneself applies only to the signer's own view. Anybody in the
 * conversation may react.
 */
export function mayAct(event: SignedChatEvent, target: { senderId: string }, viewerId: string): boolean {
  switch (event.kind) {
    case 'edit':
      return event.senderId === target.senderId;
    case 'delete':
      return event.senderId === (event.forAll ? target.senderId : viewerId);
    case 'reactionAdded':
    case 'reactionRemoved':
      return true;
    case 'message':
    case 'keyChange':
      return false;
  }
}

/**
 * Detects replayed messages of one conversation. The sender signs the message id but not the sequence id, so the
 * platform can deliver a message again under another sequence id. Call `isReplay` once for each verified event, in the
 * order of their sequence ids, and ignore replays.
 */
export class SeenMessages {
  readonly #seen = new Set<string>();

  /**
   * Returns true if the sender has used this message id before. Ids of different senders are independent, so that one
   * sender cannot suppress messages of another.
   */
  isReplay({ senderId, messageId }: { senderId: string; messageId: string }): boolean {
    const id = `${senderId},${messageId}`;
    if (this.#seen.has(id)) return true;
    this.#seen.add(id);
    return false;
  }
}
