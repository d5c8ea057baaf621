import { createHash } from 'node:crypto';
import type { User } from '../dataset/types.ts';
import type { SandboxState } from '../platform.ts';
import type { PublicKeys } from './chats.ts';

/** One in this many users of the seed has never set up chat. */
const WITHOUT_CHAT_ONE_IN = 6;

/** Returns the public keys of a user, oldest first: those derived from the seed, then those registered by calls. */
export function publicKeysOf(
  { dataset, clients }: Pick<SandboxState, 'dataset' | 'clients'>,
  user: User,
): readonly PublicKeys[] {
  const registered = dataset.chats.registered.get(user) ?? [];
  return hasSeedKeys(user) ? [clients.publicKeysOf(user), ...registered] : registered;
}

/** Returns true if the user's chat keys are derived from the seed of the dataset, so that every start of the sandbox makes the same keys. */
export function hasSeedKeys(user: User): boolean {
  if (user.chatLabel !== null) return user.hasChatKeys;
  return (createHash('sha256').update(`chat ${user.id}`).digest()[0] ?? 0) % WITHOUT_CHAT_ONE_IN !== 0;
}
