/** A user id: a decimal number without leading zeros, of at most 20 digits. */
const userId = /^[1-9]\d{0,19}$/;

/** Returns `<user_id>:<user_id>` with the smaller number first, like the official SDK (0.4.3). */
export function conversationIdOf(one: string, other: string): string {
  return isSmaller(one, other) ? `${one}:${other}` : `${other}:${one}`;
}

/**
 * Returns the canonical form of a conversation id. X also writes the larger id first, and `-` instead of `:`. Returns
 * undefined for any other id, such as that of a group.
 */
export function canonicalConversationId(id: string): string | undefined {
  const [one = '', other = '', ...rest] = id.split(/[:-]/);
  const isPair = rest.length === 0 && userId.test(one) && userId.test(other) && one !== other;
  return isPair ? conversationIdOf(one, other) : undefined;
}

/** Returns both user ids, the smaller one first, or undefined if the id is not in the canonical form. */
export function participantsOf(conversationId: string): readonly [string, string] | undefined {
  if (canonicalConversationId(conversationId) !== conversationId) return undefined;
  const [smaller = '', larger = ''] = conversationId.split(':');
  return [smaller, larger];
}

/** Compares two ids. Ids may exceed the range of `number`, so they are compared by length first and then as text. */
export function isSmaller(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length;
}
