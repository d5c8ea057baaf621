/** User ids are numbers in decimal, without leading zeros, of at most 64 bits. */
const userId = /^[1-9]\d{0,19}$/;

/** `<user_id>:<user_id>`, the smaller number first, as the official SDK (0.4.3) derives it. */
export function conversationIdOf(one: string, other: string): string {
  return isSmaller(one, other) ? `${one}:${other}` : `${other}:${one}`;
}

/** Both user ids, the smaller first; undefined for what is not a one-to-one conversation's id in its one spelling. */
export function participantsOf(conversationId: string): readonly [string, string] | undefined {
  const [smaller, larger, ...rest] = conversationId.split(':');
  if (smaller === undefined || larger === undefined || rest.length > 0) return undefined;
  if (!userId.test(smaller) || !userId.test(larger) || !isSmaller(smaller, larger)) return undefined;
  return [smaller, larger];
}

/** Ids may be too long for a `number`; for decimals, the shorter one is the smaller. */
function isSmaller(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length;
}
