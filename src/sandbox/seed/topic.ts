/**
 * A subject that users tweet about. `{name}` in a text is replaced by a value from `slots` or from the common slots.
 */
export interface Topic {
  readonly name: string;
  readonly tags: readonly string[];
  /** Domains under .example, which is reserved (RFC 2606) and never resolves. */
  readonly links: readonly string[];
  readonly emoji: readonly string[];
  readonly bios: readonly string[];
  readonly slots: Readonly<Record<string, readonly string[]>>;
  readonly texts: readonly string[];
  readonly replies: readonly string[];
  /** Cashtags of the topic, if it has any. */
  readonly symbols?: readonly string[];
}
