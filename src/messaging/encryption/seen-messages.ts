/**
 * The message ids of one conversation. An id is signed and its place is not, so whoever relays events could show one of them
 * again further down; the second is a replay, to be ignored. Feed it in sequence order, opened events only.
 */
export class SeenMessages {
  readonly #seen = new Set<string>();

  /** True from the second time on. A sender's ids are its own: nobody can take another's message away by using its id. */
  isReplay({ senderId, messageId }: { senderId: string; messageId: string }): boolean {
    const id = `${senderId},${messageId}`;
    if (this.#seen.has(id)) return true;
    this.#seen.add(id);
    return false;
  }
}
