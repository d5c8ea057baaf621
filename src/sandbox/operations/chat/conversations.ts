import type { Conversation, Message } from '../../chat/conversation.ts';
import { conversationForm } from '../../chat/render-chat.ts';
import { compareIds } from '../../dataset/snowflake.ts';
import { pageSize } from '../../http/input.ts';
import type { ActorCall, ActorOperation } from '../../http/operation.ts';
import { takePage } from '../../http/paged.ts';
import { Problem } from '../../http/problem.ts';
import { json } from '../../http/response.ts';
import { badRequest } from '../../refusal.ts';
import { ownConversation } from './find.ts';

/**
 * The actor's conversations, newest first. All pages show the order at the time of the first page, so later messages do
 * not move conversations between pages. A cursor holds that time and a position in the order.
 */
export const chatConversations: ActorOperation = {
  id: 'chatConversations',
  method: 'GET',
  path: '/sandbox/chat/conversations',
  access: 'actor',
  handle(call) {
    const { platform, query, actor } = call;
    const { dataset, cursors } = platform;
    const scope = ['chats', actor.id];
    const { snapshot, after } = cursorOf(call, scope);
    const moment = snapshot ?? dataset.chats.lastSeqId;
    const placed = dataset.chats.conversationsOf(actor).flatMap((conversation): [Listed, string][] => {
      const last = conversation.lastUpTo(moment);
      if (last === undefined || !conversation.accepted.has(actor)) return [];
      return [[{ conversation, last }, last.event.seqId]];
    });
    placed.sort(([, a], [, b]) => compareIds(b, a));
    const below = placed.filter(([, seqId]) => after === undefined || compareIds(seqId, after) < 0);
    const page = takePage(below, pageSize(query), () => true);
    const withLast = query.get('last_messages') === 'true';
    const next = page.next && {
      cursor_id: cursors.seal([...scope, moment], [page.next]),
      graph_snapshot_id: cursors.seal(scope, [moment]),
    };
    return json({
      viewer_id: actor.id,
      has_message_requests: dataset.chats.conversationsOf(actor).some((each) => isRequest(each, call)),
      conversations: page.items.map(({ conversation, last }) =>
        conversationForm(dataset, conversation, actor, last, withLast),
      ),
      next_cursor: next ?? null,
    });
  },
};

export const chatConversation: ActorOperation = {
  id: 'chatConversation',
  method: 'GET',
  path: '/sandbox/chat/conversations/{id}',
  access: 'actor',
  handle(call) {
    const conversation = ownConversation(call);
    const { dataset } = call.platform;
    const last = conversation.lastUpTo(dataset.chats.lastSeqId);
    const withLast = call.query.get('last_messages') === 'true';
    return json({ conversation: conversationForm(dataset, conversation, call.actor, last, withLast) });
  },
};

interface Listed {
  readonly conversation: Conversation;
  readonly last: Message;
}

function isRequest(conversation: Conversation, { actor }: ActorCall): boolean {
  return conversation.messages.length > 0 && !conversation.accepted.has(actor);
}

function cursorOf({ platform, query }: ActorCall, scope: readonly string[]) {
  const [place, graph] = [query.get('cursor_id'), query.get('graph_snapshot_id')];
  if (place === null && graph === null) return { snapshot: undefined, after: undefined };
  if (place === null || graph === null) {
    throw badRequest('cursor_id', 'cursor_id and graph_snapshot_id must be sent together');
  }
  const [snapshot] = platform.cursors.open(scope, graph) ?? [];
  const [after] = snapshot === undefined ? [] : (platform.cursors.open([...scope, snapshot], place) ?? []);
  if (snapshot === undefined || after === undefined) {
    throw new Problem(400, 'bad_cursor', 'The cursor does not belong to this list');
  }
  return { snapshot, after };
}
