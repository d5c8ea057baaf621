import type { ActorCall, ActorOperation } from '../../http/operation.ts';
import { json } from '../../http/response.ts';
import { ownConversation } from './find.ts';

const path = '/sandbox/chat/conversations/{id}/mute';

export const muteChat: ActorOperation = {
  id: 'muteChat',
  method: 'PUT',
  path,
  access: 'actor',
  handle: (call) => setMuted(call, true),
};

export const unmuteChat: ActorOperation = {
  id: 'unmuteChat',
  method: 'DELETE',
  path,
  access: 'actor',
  handle: (call) => setMuted(call, false),
};

function setMuted(call: ActorCall, muted: boolean) {
  const { platform, actor } = call;
  const conversation = ownConversation(call);
  if (conversation.mutedBy.has(actor) !== muted) {
    const kind = muted ? 'chat_mute' : 'chat_unmute';
    platform.commit({ kind, user: actor.id, other: conversation.other(actor).id, at: platform.now() });
  }
  return json({ conversation_id: conversation.id, muted });
}
