import type { PlatformSession } from '../../platform/port.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { sealKeyChange } from '../encryption/index.ts';
import type { Actor } from './actor.ts';
import { OpenConversation } from './open-conversation.ts';
import { conversationNotFound, isConflict, peerWithoutKeys, untrustedKeys } from './refusals.ts';

export interface Beginning {
  session: PlatformSession;
  runtime: Runtime;
  actor: Actor;
  id: string;
  otherId: string;
}

/** Makes a conversation's key and seals it to both sides. Throws `conflict` where the other has no keys to seal it to. */
export async function beginConversation({
  session,
  runtime,
  actor,
  id,
  otherId,
}: Beginning): Promise<OpenConversation> {
  const { messages } = session;
  if ((await messages.publicKeys([otherId])).length === 0) {
    // Where there is no such user, that is what is wrong.
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
  const open = new OpenConversation(id, actor, peers, []);
  try {
    open.adoptNew(await messages.changeKey(event, key.version, null));
    return open;
  } catch (error) {
    open.wipe();
    if (!isConflict(error)) throw error;
    // The other side began it at the same moment.
    return new OpenConversation(id, actor, peers, (await messages.conversation(id)).keyChanges);
  } finally {
    key.key.fill(0);
  }
}
