import type { PlatformSession } from '../../platform/port.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { placeEvent, sealKeyChange } from '../encryption/index.ts';
import type { Actor } from './actor.ts';
import { OpenConversation } from './open-conversation.ts';
import { conversationNotFound, isConflict, peerWithoutKeys, untrustedKeys } from './refusals.ts';
import { keyChangeForm } from './sealed-forms.ts';

export interface NewConversation {
  session: PlatformSession;
  runtime: Runtime;
  actor: Actor;
  id: string;
  otherId: string;
}

/**
 * Starts a conversation, or gives it a new key: creates a conversation key and encrypts it for both users. Throws `conflict` if the
 * other user has no chat keys.
 */
export async function beginConversation({
  session,
  runtime,
  actor,
  id,
  otherId,
}: NewConversation): Promise<OpenConversation> {
  const { messages } = session;
  if ((await messages.publicKeys([otherId])).length === 0) {
    // If the user does not exist, this call throws `not_found`, which is clearer than an error about missing keys.
    await session.userProfile({ userId: otherId });
    throw peerWithoutKeys(otherId);
  }
  actor.known.forget(id);
  const nowMs = runtime.now();
  const peers = (await actor.known.peersOf([id], messages, nowMs)).get(id);
  if (peers === undefined) throw conversationNotFound(id);
  const randomBytes = (length: number) => runtime.randomBytes(length);
  const made = sealKeyChange(actor.self, id, peers, { nowMs, randomBytes });
  if (!made.ok) throw untrustedKeys(`those of a participant do not vouch for each other (${made.reason})`);
  const { event, key } = made.value;
  const open = new OpenConversation(id, actor, peers);
  try {
    const sequenceId = await messages.changeKey(keyChangeForm(event));
    const change = placeEvent(event, { sequenceId, createdAtMs: nowMs });
    open.adoptNew(change);
    actor.known.keepKeyChanges(id, [change], nowMs);
    return open;
  } catch (error) {
    open.wipe();
    if (!isConflict(error)) throw error;
    // The other user started the conversation at the same moment, so the existing keys are used.
    return OpenConversation.of(id, actor, peers, await actor.known.keyChangesOf(id, messages, nowMs));
  } finally {
    key.key.fill(0);
  }
}
