import type { KeyObject } from 'node:crypto';
import { isNewer } from './conversation-keys.ts';
import { fromBase64, MalformedError } from './encoding.ts';
import type { KeyRegistration } from './keys.ts';
import { type OpenedContent, opened, refused } from './opened.ts';
import { isSignedBy, pointOf, verifierOf } from './p256.ts';

/** The public keys of a user as the platform returns them. They are untrusted until `Peers` has verified them. */
export interface RegisteredKeys extends Omit<KeyRegistration, 'signingPublicKeySignature'> {
  userId: string;
  publicKeyVersion: string;
  /** `null` if the platform does not return it. */
  signingPublicKeySignature: string | null;
}

/** Verified public keys of a user: the keys have signed each other, as far as the platform returns both signatures. Only `Peers` creates these objects. */
export interface PeerKeys {
  readonly userId: string;
  readonly publicKeyVersion: string;
  /** The public point for which conversation keys are encrypted. */
  readonly identityKey: Uint8Array;
  hasSigned(payload: Uint8Array, signature: Uint8Array): boolean;
}

/** The public keys of a conversation's participants. Each set of keys is verified once, on first use. */
export class Peers {
  readonly #registered: readonly RegisteredKeys[];
  readonly #checked = new Map<RegisteredKeys, OpenedContent<PeerKeys>>();

  constructor(registered: readonly RegisteredKeys[]) {
    this.#registered = registered;
  }

  find(userId: string, publicKeyVersion: string): OpenedContent<PeerKeys> {
    const isMeant = (one: RegisteredKeys) => one.userId === userId && one.publicKeyVersion === publicKeyVersion;
    return this.#checkedOnce(this.#registered.find(isMeant));
  }

  /**
   * Returns the user's newest public keys, for which conversation keys are encrypted. If the newest keys fail
   * verification, older keys are not used instead.
   */
  newestOf(userId: string): OpenedContent<PeerKeys> {
    let newest: RegisteredKeys | undefined;
    for (const one of this.#registered) {
      if (one.userId !== userId) continue;
      if (newest === undefined || isNewer(one.publicKeyVersion, newest.publicKeyVersion)) newest = one;
    }
    return this.#checkedOnce(newest);
  }

  #checkedOnce(registered: RegisteredKeys | undefined): OpenedContent<PeerKeys> {
    if (registered === undefined) return refused('unknown_sender');
    const known = this.#checked.get(registered);
    if (known !== undefined) return known;
    const checked = check(registered);
    this.#checked.set(registered, checked);
    return checked;
  }
}

/**
 * Verifies that the identity key and the signing key have signed each other. The official SDK (0.4.3) creates both
 * signatures, but verifies only the one by the signing key. Users compare the fingerprint of the identity key, so the
 * identity key must also vouch for the signing key. X does not return the signature by the identity key, so on X this
 * check is left out (docs/direct-messages.md, On X). The signatures cover the encoded bytes.
 */
function check(registered: RegisteredKeys): OpenedContent<PeerKeys> {
  try {
    const { signingPublicKeySignature: vouched } = registered;
    const identity = fromBase64(registered.publicKey);
    const signing = fromBase64(registered.signingPublicKey);
    const identityKey = pointOf(identity);
    const identityVerifier = verifierOf(identityKey);
    const signingVerifier: KeyObject = verifierOf(pointOf(signing));
    const areBound =
      isSignedBy(signingVerifier, identity, fromBase64(registered.identityPublicKeySignature)) &&
      (vouched === null || isSignedBy(identityVerifier, signing, fromBase64(vouched)));
    if (!areBound) return refused('binding');
    return opened({
      userId: registered.userId,
      publicKeyVersion: registered.publicKeyVersion,
      identityKey,
      hasSigned: (payload, signature) => isSignedBy(signingVerifier, payload, signature),
    });
  } catch (error) {
    if (error instanceof MalformedError) return refused('binding');
    throw error;
  }
}
