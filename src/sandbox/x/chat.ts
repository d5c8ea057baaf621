import {
  canonicalConversationId,
  conversationIdOf,
  deletionIn,
  detailOfCreateEvent,
  keyChangeIn,
  MalformedError,
  signatureOf,
} from '../../messaging/encryption/index.ts';
import type { Conversation, Sealed } from '../chat/conversation.ts';
import { publicKeysOf } from '../chat/public-keys.ts';
import { encodedEvent, eventForm } from '../chat/render-chat.ts';
import { compareIds } from '../dataset/snowflake.ts';
import type { User } from '../dataset/types.ts';
import { activeUser, isBlocked } from '../dataset/visibility.ts';
import { type Fields, requiredString } from '../fields.ts';
import type { XOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { badRequest, notFound } from '../refusal.ts';
import { type Placed, pageOf, paging, sizeOf } from './paging.ts';
import { userJson } from './render.ts';
import { checkValue, dataOf, pick } from './request.ts';
import { selectionOf } from './selection.ts';
import { fingerprintOf, objectIn, oneOf, tokened, usedBefore, userOperation, type WriteCall } from './write.ts';

/** The id of the other user, or both ids in any order. The sandbox has no groups. */
export const conversationForm = /^(\d{1,19}|\d{1,19}-\d{1,19})$/;
const aboutUsers = ['expansions', 'user.fields'];
const conversationFields = ['created_at', 'id', 'is_muted', 'type', 'updated_at'];
const eventFields = ['conversation_id', 'created_at', 'encoded_event', 'id', 'sender_id'];
/** The limit of a base64 field. An encrypted text of 10,000 characters fits. */
const maxSealedLength = 128 * 1024;
const maxUsers = 100;

/**
 * Encrypted messages: https://docs.x.com/xchat. Pages of conversations show the order at the time of the first page. The
 * platform cannot read the content of events, so it checks only who may write.
 */
export const chatOperations: readonly XOperation[] = [
  userOperation('getChatConversations', 'GET', '/2/chat/conversations', {
    query: [...paging, 'chat_conversation.fields', ...aboutUsers],
    run(call) {
      const { state, actor } = call;
      const { chats } = state.dataset;
      const own = chats.conversationsOf(actor);
      const { items, meta } = page(call, '', function* (position) {
        const [moment = chats.lastSeqId, after] = position?.split(':') ?? [];
        const placed = own.flatMap((conversation): Placed<Conversation>[] => {
          const last = conversation.accepted.has(actor) ? conversation.lastUpTo(moment) : undefined;
          return last === undefined ? [] : [[conversation, last.seqId]];
        });
        placed.sort(([, a], [, b]) => compareIds(String(b), String(a)));
        for (const [conversation, seqId] of placed)
          if (after === undefined || compareIds(String(seqId), after) < 0) yield [conversation, `${moment}:${seqId}`];
      });
      const isRequest = (each: Conversation) => each.events.length > 0 && !each.accepted.has(actor);
      const users = new Set(items.flatMap(({ members }) => members));
      return {
        ...dataOf(items.map((each) => conversationJson(call, each))),
        ...included(call, [...users]),
        meta: { has_message_requests: own.some(isRequest), ...meta },
      };
    },
  }),
  userOperation('getChatConversation', 'GET', '/2/chat/conversations/{id}', {
    idForm: conversationForm,
    query: ['chat_conversation.fields', ...aboutUsers],
    run(call) {
      const conversation = ownConversation(call);
      return { data: conversationJson(call, conversation), ...included(call, conversation.members) };
    },
  }),
  userOperation('getChatConversationEvents', 'GET', '/2/chat/conversations/{id}/events', {
    idForm: conversationForm,
    query: [...paging, 'chat_message_event.fields'],
    run(call) {
      const conversation = ownConversation(call);
      const { actor, query } = call;
      const { items, meta } = page(call, conversation.id, function* (before) {
        for (const event of conversation.events.toReversed()) {
          const isBefore = before === undefined || compareIds(event.seqId, before) < 0;
          if (isBefore && conversation.isShownTo(actor, event)) yield [event, event.seqId];
        }
      });
      const forms = items.map((event) => eventForm(conversation, event, actor));
      const keyEvents = conversation.keyChanges.map((change) => encodedEvent(conversation, change));
      return {
        ...dataOf(forms.map((form) => pick(form, query, 'chat_message_event.fields', eventFields))),
        meta: { conversation_key_events: keyEvents, ...meta },
      };
    },
  }),
  userOperation('addConversationKeys', 'POST', '/2/chat/conversations/{id}/keys', {
    idForm: conversationForm,
    names: ['conversation_key_version', 'conversation_participant_keys', 'action_signatures'],
    run(call) {
      const { state, actor, body } = call;
      const { chats } = state.dataset;
      const id = conversationIdIn(call);
      const other = otherSide(call, id);
      const version = checkValue(
        'conversation_key_version',
        requiredString(body, 'conversation_key_version'),
        /^\d{1,19}$/,
      );
      const { sealed, read } = readAction(body, keyChangeIn);
      const receivers = read.copies.map(({ userId }) => userId);
      if (read.keyVersion !== version || ![actor.id, other.id].every((userId) => receivers.includes(userId)))
        throw badRequest('action_signatures', 'The signed key change is not that of the body');
      const conversation = chats.conversations.get(id);
      const fingerprint = fingerprintOf('key', id);
      const known = conversation?.sentSeqId(actor, sealed.messageId) ?? usedBefore(call, fingerprint);
      if (known !== undefined) return { data: { conversation_id: inPath(id), sequence_id: known } };
      mayWrite(actor, other, conversation);
      if (publicKeysOf(state, other).length === 0) throw new Problem(409, 'no_chat_keys', 'That user has no chat keys');
      const before = conversation?.keyChanges.at(-1)?.version;
      if (before !== undefined && compareIds(version, before) <= 0)
        throw new Problem(409, 'key_changed', 'The conversation has a newer key');
      const at = state.now();
      const seq = chats.nextSeqId(at);
      state.commit({
        kind: 'chat_key',
        user: actor.id,
        other: other.id,
        at,
        seq,
        version,
        sealed,
        ...tokened(call, fingerprint),
      });
      return { data: { conversation_id: inPath(id), sequence_id: seq } };
    },
  }),
  userOperation('sendChatMessage', 'POST', '/2/chat/conversations/{id}/messages', {
    idForm: conversationForm,
    names: ['message_id', 'encoded_message_create_event', 'encoded_message_event_signature', 'conversation_token'],
    status: 201,
    run(call) {
      const { state, actor, body } = call;
      const conversation = ownConversation(call);
      const created = base64(body, 'encoded_message_create_event');
      const sealed: Sealed = {
        messageId: messageIdIn(body),
        detail: decoded('encoded_message_create_event', () => detailOfCreateEvent(created)),
        signature: base64(body, 'encoded_message_event_signature'),
      };
      const seq = add(call, conversation, sealed, 'message', () => {
        mayWrite(actor, conversation.other(actor), conversation);
        return { type: 'content' };
      });
      const event = conversation.findEvent(seq);
      if (event === undefined) throw notFound('message', seq);
      state.peers.onMessage(state, conversation, actor, seq);
      return { data: { encoded_message_event: encodedEvent(conversation, event) } };
    },
  }),
  userOperation('deleteChatMessages', 'POST', '/2/chat/conversations/{id}/messages/delete', {
    idForm: conversationForm,
    names: ['sequence_ids', 'delete_message_action', 'action_signatures', 'media_hash_keys'],
    run(call) {
      const conversation = ownConversation(call);
      const { actor, body } = call;
      const given = body['sequence_ids'];
      const targets = Array.isArray(given) ? given.map(String) : [];
      const forAll = oneOf(body, 'delete_message_action', ['delete_for_all', 'delete_for_self']) === 'delete_for_all';
      const { sealed, read } = readAction(body, deletionIn);
      const isSigned = read.forAll === forAll && JSON.stringify(read.sequenceIds) === JSON.stringify(targets);
      if (!isSigned || targets.length === 0 || targets.length > maxUsers)
        throw badRequest('action_signatures', 'The signed deletion is not that of the body');
      add(call, conversation, sealed, `${forAll} ${targets.join()}`, () => {
        for (const target of targets) {
          const event = conversation.findEvent(target);
          if (event === undefined) throw notFound('message', target);
          if (forAll && event.sender !== actor)
            throw new Problem(403, 'forbidden', 'This message was sent by another user');
        }
        return { type: 'deletion', targets, ...(forAll && { forAll }) };
      });
      return { data: { deleted: true } };
    },
  }),
];

function page<T>(call: WriteCall, list: string, after: (position: string | undefined) => Iterable<Placed<T>>) {
  const { items, tokens } = pageOf({ ...call, viewer: call.actor }, list, sizeOf(call, [1, 100, 10]), after);
  const { next_token } = tokens;
  const meta = { has_more: next_token !== undefined, ...(next_token && { next_token }), result_count: items.length };
  return { items, meta };
}

/** X writes `-` in the ids of conversations, and `:` inside of events. */
const inPath = (conversationId: string) => conversationId.replace(':', '-');

function conversationJson({ actor, query, extended }: WriteCall, conversation: Conversation): object {
  const { id, members, keyChanges, events, mutedBy } = conversation;
  const form = {
    created_at: new Date(keyChanges[0]?.at ?? 0).toISOString(),
    id: inPath(id),
    is_muted: mutedBy.has(actor),
    type: 'one_to_one',
    updated_at: new Date(events.at(-1)?.at ?? keyChanges[0]?.at ?? 0).toISOString(),
  };
  const isExpanded = query.get('expansions')?.split(',').includes('participant_ids') === true;
  return {
    ...pick(form, query, 'chat_conversation.fields', conversationFields),
    ...(isExpanded && { participant_ids: members.map((user) => user.id) }),
    ...(extended && { has_more: events.length > 1 }),
  };
}

/** Adds the participants if the request expands them. */
function included({ state, actor, query, extended }: WriteCall, users: readonly User[]): object {
  const expansions = query.get('expansions')?.split(',') ?? [];
  const unknown = expansions.find((name) => !['admin_ids', 'member_ids', 'participant_ids'].includes(name));
  if (unknown !== undefined) throw badRequest('expansions', `The \`expansions\` value [${unknown}] is unknown`);
  if (!expansions.includes('participant_ids') || users.length === 0) return {};
  const fields = query.get('user.fields');
  const given = new URLSearchParams(fields === null ? {} : { 'user.fields': fields });
  const selection = selectionOf(given, 'users', extended);
  return { includes: { users: users.map((user) => JSON.parse(userJson(state.dataset, user, actor, selection))) } };
}

function conversationIdIn({ actor, subject }: Pick<WriteCall, 'actor' | 'subject'>): string {
  return canonicalConversationId(subject) ?? conversationIdOf(actor.id, subject);
}

/** Returns the conversation named in the path. Throws `not_found` if the actor is not a participant. */
function ownConversation(call: WriteCall): Conversation {
  return conversationOf(call, conversationIdIn(call));
}

/** Returns a conversation of the actor. Throws `not_found` if the actor is not a participant. */
export function conversationOf({ state, actor }: WriteCall, id: string): Conversation {
  const conversation = state.dataset.chats.conversations.get(canonicalConversationId(id) ?? '');
  if (conversation?.has(actor) && conversation.keyChanges.length > 0) return conversation;
  throw notFound('conversation', id);
}

function otherSide({ state, actor }: WriteCall, id: string): User {
  const [first = '', second = ''] = id.split(':');
  if (first === second || (first !== actor.id && second !== actor.id)) throw notFound('conversation', id);
  const other = first === actor.id ? second : first;
  return activeUser(state.dataset.users.get(other), other);
}

/** Throws unless the other user accepts messages from everybody, follows the sender, or has accepted the conversation. */
function mayWrite(actor: User, other: User, conversation: Conversation | undefined): void {
  if (other.state !== 'active') activeUser(other, other.id);
  const isWelcome = other.openDms || other.following.has(actor) || conversation?.accepted.has(other);
  if (!isWelcome || isBlocked(actor, other))
    throw new Problem(403, 'forbidden', 'This user does not accept messages from you');
}

/** Stores an event, unless it was sent before. Returns its sequence id. */
function add(
  call: WriteCall,
  conversation: Conversation,
  sealed: Sealed,
  what: string,
  check: () => { type: 'content' } | { type: 'deletion'; targets: readonly string[]; forAll?: true },
): string {
  const { state, actor } = call;
  // Of the unencrypted parts, because encrypting the same content again gives other bytes.
  const fingerprint = fingerprintOf(conversation.id, what);
  const known = conversation.sentSeqId(actor, sealed.messageId) ?? usedBefore(call, fingerprint);
  if (known !== undefined) return known;
  const more = { ...check(), ...tokened(call, fingerprint) };
  const at = state.now();
  const seq = state.dataset.chats.nextSeqId(at);
  state.commit({ kind: 'chat_event', user: actor.id, other: conversation.other(actor).id, at, seq, sealed, ...more });
  return seq;
}

function messageIdIn(body: Fields): string {
  return checkValue('message_id', requiredString(body, 'message_id'), /^[\w-]{8,64}$/);
}

/** Reads the signed event of an action, and what `read` finds in its detail. */
function readAction<T>(body: Fields, read: (detail: string) => T): { sealed: Sealed; read: T } {
  const given = body['action_signatures'];
  const [action, ...more] = Array.isArray(given) ? given : [];
  if (typeof action !== 'object' || action === null || more.length > 0)
    throw badRequest('action_signatures', 'The `action_signatures` must have one item');
  const parts = objectIn(action as Fields, 'message_event_signature', [
    ...['signature', 'public_key_version', 'signature_version'],
    ...['message_signing_key_info_list', 'signing_public_key'],
  ]);
  const detail = base64(action as Fields, 'encoded_message_event_detail');
  const signature = signatureOf({
    signature: requiredString(parts ?? {}, 'signature'),
    publicKeyVersion: requiredString(parts ?? {}, 'public_key_version'),
    signatureVersion: requiredString(parts ?? {}, 'signature_version'),
  });
  const sealed = { messageId: messageIdIn(action as Fields), detail, signature };
  return { sealed, read: decoded('encoded_message_event_detail', () => read(detail)) };
}

function decoded<T>(field: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof MalformedError
      ? badRequest(field, `The \`${field}\` is malformed: ${error.message}`)
      : error;
  }
}

function base64(body: Fields, field: string): string {
  const text = requiredString(body, field);
  if (text.length > maxSealedLength) throw badRequest(field, `${field} is larger than ${maxSealedLength} characters`);
  return checkValue(field, text, /^[A-Za-z0-9+/]+={0,2}$/);
}
