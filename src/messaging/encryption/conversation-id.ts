/** A user id: a decimal number without leading zeros, of at most 20 digits. */
const userId = /^[1-9]\d{0,19}$/;

/** Returns `<user_id>:<user_id>` with the smaller number first, like the official SDK (0.4.3). */
export function conversationIdOf(one: string, other: string): string {
  return isSmaller(one, other) ? `${one}:${other}` : `${other}:${one}`;
}

/**
 * Parses a conversation id. Returns both user ids, the smaller one first, or undefined if the id is not in the
 * canonical form.
 */
export function participantsOf(conversationId: string): readonly [string, string] | undefined {
  const [smaller, larger, ...rest] = conversationId.split(':');
  if (smaller === undefined || larger === undefined || rest.length > 0) return undefined;
  if (!userId.test(smaller) || !userId.test(larger) || !isSmaller(smaller, larger)) return undefined;
  return [smaller, larger];
}

/** Compares two ids. Ids may exceed the range of `number`, so they are compared by length first and then as text. */
function isSmaller(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length;
}
