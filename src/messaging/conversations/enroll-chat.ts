import type { PlatformSession } from '../../platform/port.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import {
  exportChatKeys,
  generateChatKeys,
  importChatKeys,
  registrationOf,
  zeroiseChatKeys,
} from '../encryption/index.ts';
import type { ChatKeyService, KeyOwner } from '../key-recovery/chat-key-service.ts';
import { isConflict } from './refusals.ts';

export interface Enrolment {
  chatKeys: ChatKeyService;
  session: PlatformSession;
  who: KeyOwner;
  code: Secret;
  runtime: Runtime;
}

/**
 * Creates chat keys for an account. The key realms store the encrypted private keys, and the platform stores the public
 * keys. Throws `conflict` if the account already has keys.
 */
export async function enrollChat(enrolment: Enrolment): Promise<void> {
  const { chatKeys, session, who, code, runtime } = enrolment;
  // Check for existing keys first, so that no keys are created that could not be registered.
  const { messages } = session;
  const keys = generateChatKeys((length) => runtime.randomBytes(length));
  const raw = exportChatKeys(keys);
  try {
    await chatKeys.enroll(session, who, code, raw);
    await messages.registerKeys(registrationOf(keys));
  } catch (error) {
    if (!isConflict(error)) throw error;
    await registerRecovered(enrolment, error);
  } finally {
    raw.fill(0);
    zeroiseChatKeys(keys);
  }
}

/**
 * Completes an enrolment that was interrupted: the realms have the private keys, but the public keys were never
 * registered. Recovers the private keys and registers the public ones.
 */
async function registerRecovered({ chatKeys, session, who, code }: Enrolment, conflict: unknown): Promise<void> {
  // If public keys are registered, the enrolment is complete. Do not try the code in this case, because a wrong code
  // would cost one of the limited guesses.
  const { id } = await session.ownProfile();
  if ((await session.messages.publicKeys([id])).length > 0) throw conflict;
  const recovered = await chatKeys.recover(session, who, code).catch(() => {
    throw conflict;
  });
  const raw = recovered.privateKeys();
  const keys = importChatKeys(raw);
  raw.fill(0);
  if (keys === undefined) throw conflict;
  await session.messages.registerKeys(registrationOf(keys)).finally(() => zeroiseChatKeys(keys));
}
