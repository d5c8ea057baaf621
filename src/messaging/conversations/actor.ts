import type { PlatformMessages } from '../../platform/messages-port.ts';
import { type ChatKeys, importChatKeys, registrationOf, type Self, zeroiseChatKeys } from '../encryption/index.ts';
import type { RecoveredKeys } from '../key-recovery/recovered-keys.ts';
import type { KnownConversations } from './known-conversations.ts';
import { untrustedKeys } from './refusals.ts';

/**
 * A platform account with its private chat keys, for the duration of one call. The caller wipes the keys at the end.
 */
export class Actor {
  readonly self: Self;
  readonly recovered: RecoveredKeys;
  readonly known: KnownConversations;
  readonly #keys: ChatKeys;

  private constructor(keys: ChatKeys, version: string, recovered: RecoveredKeys, known: KnownConversations) {
    this.#keys = keys;
    this.self = { userId: recovered.userId, publicKeyVersion: version, keys };
    this.recovered = recovered;
    this.known = known;
  }

  /** Loads the account's public keys. Throws `platform_unavailable` if they do not belong to these private keys. */
  static async of(
    recovered: RecoveredKeys,
    messages: PlatformMessages,
    known: KnownConversations,
    nowMs: number,
  ): Promise<Actor> {
    const raw = recovered.privateKeys();
    const keys = importChatKeys(raw);
    raw.fill(0);
    if (keys === undefined) throw untrustedKeys('the data that the realms store is not a pair of private keys');
    try {
      const version = await known.ownVersion(nowMs, async () => {
        const registered = await messages.publicKeys([recovered.userId]);
        const own = registrationOf(keys);
        return registered.findLast(
          (each) => each.publicKey === own.publicKey && each.signingPublicKey === own.signingPublicKey,
        )?.publicKeyVersion;
      });
      if (version === undefined) throw untrustedKeys('your own public keys are not those of your private ones');
      return new Actor(keys, version, recovered, known);
    } catch (error) {
      zeroiseChatKeys(keys);
      throw error;
    }
  }

  wipe(): void {
    zeroiseChatKeys(this.#keys);
  }
}
