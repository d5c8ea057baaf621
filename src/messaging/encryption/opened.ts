/**
 * Why something cannot be opened, in the words that `undecryptable` shows callers:
 *
 * - `corrupt`: it is not an event of the scheme, or a field of it cannot be what it has to be
 * - `unsupported`: a kind of event that one-to-one conversations here do not have, or a newer version of the signature
 * - `wrong_conversation`: it says that it belongs to another conversation, or its sender is not in this one
 * - `unknown_sender`: its sender has no public keys of the version that it was signed under
 * - `binding`: the sender's public keys do not vouch for each other, so that nothing signed with them counts
 * - `bad_signature`: the sender did not sign this
 * - `downgrade`: an older version of the signature, or of the conversation's key, than there has been before
 * - `no_key`: the conversation's key of that version was not handed to this reader
 * - `wrong_key`: it does not open under the key that it names, or names a key that differs from the known one
 */
export const openFailures = [
  'corrupt',
  'unsupported',
  'wrong_conversation',
  'unknown_sender',
  'binding',
  'bad_signature',
  'downgrade',
  'no_key',
  'wrong_key',
] as const;

export type OpenFailure = (typeof openFailures)[number];

/** What came out of hostile bytes. Opening never throws, so that one bad message never breaks its page. */
export type OpenedContent<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: OpenFailure };

export function opened<T>(value: T): OpenedContent<T> {
  return { ok: true, value };
}

export function refused(reason: OpenFailure): { readonly ok: false; readonly reason: OpenFailure } {
  return { ok: false, reason };
}
