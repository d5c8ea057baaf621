import { createHash } from 'node:crypto';
import type { Dataset } from '../dataset/dataset.ts';
import type { User } from '../dataset/types.ts';
import type { SandboxState } from '../platform.ts';
import type { PublicKeys } from './chats.ts';

/** Of the people of the seed, one in so many has never set up chat. */
const WITHOUT = 6;

/** The public keys of a user, the oldest first: those that came by a call, else those of the seed's. */
export function publicKeysOf(
  { dataset, clients }: Pick<SandboxState, 'dataset' | 'clients'>,
  user: User,
): readonly PublicKeys[] {
  return dataset.chats.registered.get(user) ?? (hasSeedKeys(user) ? [clients.publicKeysOf(user)] : []);
}

export function hasKeys(dataset: Dataset, user: User): boolean {
  return dataset.chats.registered.has(user) || hasSeedKeys(user);
}

/** Whether its keys derive from the seed. */
export function hasSeedKeys(user: User): boolean {
  if (user.chatLabel !== null) return user.hasChatKeys;
  return (createHash('sha256').update(`chat ${user.id}`).digest()[0] ?? 0) % WITHOUT !== 0;
}
