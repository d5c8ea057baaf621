import { closedObject, jsonResponse, ref } from '../../http/contract.ts';
import type { ActorCall, ActorOperation } from '../../http/operation.ts';
import { json } from '../../http/response.ts';
import { ownConversation } from './find.ts';

const path = '/sandbox/chat/conversations/{id}/mute';

export const muteChat: ActorOperation = {
  id: 'muteChat',
  method: 'PUT',
  path,
  access: 'actor',
  contract: {
    summary: 'Mutes a conversation for the actor.',
    responses: {
      200: jsonResponse(
        'The conversation is muted.',
        closedObject({ conversation_id: ref('ConversationId'), muted: { type: 'boolean' } }),
      ),
    },
  },
  handle: (call) => setMuted(call, true),
};

export const unmuteChat: ActorOperation = {
  id: 'unmuteChat',
  method: 'DELETE',
  path,
  access: 'actor',
  contract: {
    summary: 'Unmutes a conversation for the actor.',
    responses: {
      200: jsonResponse(
        'The conversation is not muted.',
        closedObject({ conversation_id: ref('ConversationId'), muted: { type: 'boolean' } }),
      ),
    },
  },
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
