/**
 * Detects replayed messages of one conversation. The id of a message is signed, but its position is not, so the
 * platform could show a message twice. The second one is a replay and must be ignored. Pass verified events in the
 * order of their sequence ids.
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
