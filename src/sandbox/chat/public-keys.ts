import { createHash } from 'node:crypto';
import type { SandboxPlatform } from '../platform.ts';
import type { User } from '../world/types.ts';
import type { World } from '../world/world.ts';
import type { PublicKeys } from './chats.ts';

/** Of the people of the seed, one in so many has never set up chat. */
const WITHOUT = 6;

/** The public keys of a user, the oldest first: those that came by a call, else those of the seed's. */
export function publicKeysOf(
  { world, clients }: Pick<SandboxPlatform, 'world' | 'clients'>,
  user: User,
): readonly PublicKeys[] {
  return world.chats.registered.get(user) ?? (hasSeedKeys(user) ? [clients.publicKeysOf(user)] : []);
}

export function hasKeys(world: World, user: User): boolean {
  return world.chats.registered.has(user) || hasSeedKeys(user);
}

/** Whether its keys derive from the seed. */
export function hasSeedKeys(user: User): boolean {
  if (user.chatLabel !== null) return user.hasChatKeys;
  return (createHash('sha256').update(`chat ${user.id}`).digest()[0] ?? 0) % WITHOUT !== 0;
}
