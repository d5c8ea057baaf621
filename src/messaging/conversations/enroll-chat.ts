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

/** Creates chat keys. The realms store the private keys, the platform the public ones. Throws `conflict` if the account has keys. */
export async function enrollChat(enrolment: Enrolment): Promise<void> {
  const { chatKeys, session, who, code, runtime } = enrolment;
  // Checked before keys are created that nobody could use.
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

/** Returns keys that the realms have but whose public keys were never registered, because a process died in between. */
async function registerRecovered({ chatKeys, session, who, code }: Enrolment, conflict: unknown): Promise<void> {
  // An account with registered keys needs no others, and the code, which is meant to be new, must not cost it a guess.
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
