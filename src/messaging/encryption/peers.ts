import type { KeyObject } from 'node:crypto';
import { isNewer } from './conversation-keys.ts';
import { fromBase64, Malformed } from './encoding.ts';
import type { KeyRegistration } from './keys.ts';
import { type OpenedContent, opened, refused } from './opened.ts';
import { isSignedBy, pointOf, verifierOf } from './p256.ts';

/** A registration as the platform gives it out. Nothing in it is to be believed before `Peers` has checked it. */
export interface RegisteredKeys extends KeyRegistration {
  userId: string;
  publicKeyVersion: string;
}

/** Public keys that vouch for each other. Only `Peers` makes them. */
export interface PeerKeys {
  readonly userId: string;
  readonly publicKeyVersion: string;
  /** The point that conversation keys are wrapped to. */
  readonly identityKey: Uint8Array;
  hasSigned(payload: Uint8Array, signature: Uint8Array): boolean;
}

/** The public keys of a conversation's participants, one's own included. Each is checked before its first use, once. */
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

  /** Conversation keys are wrapped to these. An unbound newest one is refused, not passed over for an older. */
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
 * The official SDK (0.4.3) makes both signatures and checks the signing key's alone. That one leaves the identity key, whose
 * fingerprint people compare, without a say in who signs for it; so both are needed here. They cover the bytes as registered.
 */
function check(registered: RegisteredKeys): OpenedContent<PeerKeys> {
  try {
    const identity = fromBase64(registered.publicKey);
    const signing = fromBase64(registered.signingPublicKey);
    const identityKey = pointOf(identity);
    const identityVerifier = verifierOf(identityKey);
    const signingVerifier: KeyObject = verifierOf(pointOf(signing));
    const areBound =
      isSignedBy(signingVerifier, identity, fromBase64(registered.identityPublicKeySignature)) &&
      isSignedBy(identityVerifier, signing, fromBase64(registered.signingPublicKeySignature));
    if (!areBound) return refused('binding');
    return opened({
      userId: registered.userId,
      publicKeyVersion: registered.publicKeyVersion,
      identityKey,
      hasSigned: (payload, signature) => isSignedBy(signingVerifier, payload, signature),
    });
  } catch (error) {
    if (error instanceof Malformed) return refused('binding');
    throw error;
  }
}
