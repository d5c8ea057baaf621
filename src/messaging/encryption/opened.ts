/**
 * The reasons why an event cannot be opened. Callers see them in `undecryptable`:
 *
 * - `deleted`: the platform no longer has the content
 * - `corrupt`: the event or one of its fields has an invalid form
 * - `unsupported`: the event has a kind that one-to-one conversations do not support, or a newer signature version
 * - `wrong_conversation`: the event names another conversation, or a sender who is not a participant
 * - `unknown_sender`: the sender has no public keys of the version that signed the event
 * - `binding`: the sender's public keys have not signed each other, so they are not trusted
 * - `bad_signature`: the signature does not match
 * - `downgrade`: the version of the signature is older than the conversation has already reached
 * - `no_key`: the reader does not have the conversation key of that version
 * - `wrong_key`: the content does not decrypt with the named key, or the named key differs from the known one
 */
export const openFailures = [
  'deleted',
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

/**
 * The result of opening untrusted bytes. Invalid bytes give a reason instead of an exception, so that one bad message
 * does not fail a page.
 */
export type OpenedContent<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: OpenFailure };

export function opened<T>(value: T): OpenedContent<T> {
  return { ok: true, value };
}

export function refused(reason: OpenFailure): { readonly ok: false; readonly reason: OpenFailure } {
  return { ok: false, reason };
}
