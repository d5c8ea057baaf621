import { createHash } from 'node:crypto';
import { type Conversation, eventKinds, type Sealed } from '../../chat/conversation.ts';
import { hasKeys } from '../../chat/public-keys.ts';
import { eventForm, keyChangeForm } from '../../chat/render-chat.ts';
import { compareIds } from '../../dataset/snowflake.ts';
import type { User } from '../../dataset/types.ts';
import { activeUser, isBlocked } from '../../dataset/visibility.ts';
import { type Fields, optionalBoolean, optionalString, requiredString } from '../../fields.ts';
import { idempotencyToken } from '../../http/input.ts';
import type { ActorCall, ActorOperation } from '../../http/operation.ts';
import { Problem } from '../../http/problem.ts';
import { jsonText, type SandboxResponse } from '../../http/response.ts';
import { badRequest, notFound } from '../../refusal.ts';
import { messageIn, ownConversation } from './find.ts';

/** The limit of a base64 field. An encrypted text of 10,000 characters fits. */
const MAX_SEALED_LENGTH = 128 * 1024;
/** The limit of edits and reactions of one message. */
const MAX_CHANGES = 500;

/** Starts a conversation, or replaces its key if the caller knows the latest version. */
export const changeChatKey: ActorOperation = {
  id: 'changeChatKey',
  method: 'POST',
  path: '/sandbox/chat/conversations/{id}/keys',
  access: 'actor',
  handle(call) {
    const { platform, actor, body } = call;
    const { chats } = platform.dataset;
    const other = otherSide(call);
    const version = requiredString(body, 'version');
    if (!/^\d{1,19}$/.test(version)) throw badRequest('version', 'version must be a number');
    const sealed = readSealed(body);
    const token = tokenOf(call, ['key', other.id]);
    const conversation = chats.conversations.get(call.params['id'] ?? '');
    const known = earlierResult(call, conversation, sealed, token);
    if (conversation !== undefined && known !== undefined) return keyAnswer(conversation, known);
    mayWrite(actor, other, conversation);
    if (!hasKeys(platform.dataset, other)) {
      throw new Problem(409, 'no_chat_keys', 'That user has no chat keys', { id: other.id });
    }
    const before = optionalString(body, 'previous_version') ?? null;
    if ((conversation?.keyVersion ?? null) !== before || (before !== null && compareIds(version, before) <= 0)) {
      throw new Problem(409, 'key_changed', 'The conversation has a newer key', { version: before });
    }
    const at = platform.now();
    const seq = chats.nextSeqId(at);
    platform.commit({ kind: 'chat_key', user: actor.id, other: other.id, at, seq, version, sealed, ...token });
    return keyAnswer(chats.findOrCreate(actor, other), seq, 201);
  },
};

/** Sends an encrypted event into a conversation. The platform cannot read its content. */
export const sendChatEvent: ActorOperation = {
  id: 'sendChatEvent',
  method: 'POST',
  path: '/sandbox/chat/conversations/{id}/events',
  access: 'actor',
  handle(call) {
    const { platform, actor, body } = call;
    const conversation = ownConversation(call);
    const type = eventKinds.find((kind) => kind === requiredString(body, 'kind'));
    if (type === undefined) throw badRequest('kind', `kind must be one of ${eventKinds.join(', ')}`);
    const target = optionalString(body, 'target_seq_id');
    const forAll = optionalBoolean(body, 'for_all') === true;
    const sealed = readSealed(body);
    const token = tokenOf(call, [conversation.id, type, target ?? '', String(forAll)]);
    const known = earlierResult(call, conversation, sealed, token);
    if (known !== undefined) return eventAnswer(conversation, known);
    if ((target === undefined) !== (type === 'message')) {
      throw badRequest(
        'target_seq_id',
        'target_seq_id is required for all kinds except message, which must not have it',
      );
    }
    const other = conversation.other(actor);
    if (target !== undefined) checkTarget(conversation, target, actor, type, forAll);
    if (type === 'message') mayWrite(actor, other, conversation);
    else if (type !== 'deletion' && isBlocked(actor, other)) throw unwelcome(other);
    const at = platform.now();
    const seq = platform.dataset.chats.nextSeqId(at);
    platform.commit({
      kind: 'chat_event',
      user: actor.id,
      other: other.id,
      at,
      seq,
      type,
      sealed,
      ...token,
      ...(target !== undefined && { target }),
      ...(forAll && type === 'deletion' && { forAll }),
    });
    platform.peers.onMessage(platform, conversation, actor, seq);
    return eventAnswer(conversation, seq, 201);
  },
};

function otherSide({ platform, params, actor }: ActorCall): User {
  const id = params['id'] ?? '';
  const [first, second, ...more] = id.split(':');
  const { users } = platform.dataset;
  const isOrdered = first !== undefined && second !== undefined && more.length === 0 && compareIds(first, second) < 0;
  if (!isOrdered || (first !== actor.id && second !== actor.id)) throw notFound('conversation', id);
  const other = first === actor.id ? second : first;
  return activeUser(users.get(other), other);
}

/** Throws unless the other user accepts messages from everybody, follows the sender, or has accepted the conversation. */
function mayWrite(actor: User, other: User, conversation: Conversation | undefined): void {
  if (other.state !== 'active') activeUser(other, other.id);
  const isWelcome = other.openDms || other.following.has(actor) || conversation?.accepted.has(other);
  if (!isWelcome || isBlocked(actor, other)) throw unwelcome(other);
}

function unwelcome({ id }: User): Problem {
  return new Problem(403, 'forbidden', 'This user does not accept messages from you', { id });
}

function checkTarget(conversation: Conversation, target: string, actor: User, type: string, forAll: boolean): void {
  const message = messageIn(conversation, target);
  const isOwn = message.event.sender === actor;
  if (!isOwn && (type === 'edit' || forAll)) {
    throw new Problem(403, 'forbidden', 'This message was sent by another user', { id: target });
  }
  if (type === 'deletion') return;
  if (message.deletedForAll || message.deletedFor.has(actor)) throw notFound('message', target);
  if (message.relatedEvents.length >= MAX_CHANGES) {
    throw new Problem(409, 'too_many', `A message can have at most ${MAX_CHANGES} edits and reactions`, { id: target });
  }
}

function readSealed(body: Fields): Sealed {
  const messageId = requiredString(body, 'message_id');
  if (!/^[\w-]{8,64}$/.test(messageId)) throw badRequest('message_id', 'message_id must be 8 to 64 letters and digits');
  return { messageId, detail: base64(body, 'detail'), signature: base64(body, 'signature') };
}

function base64(body: Fields, field: string): string {
  const text = requiredString(body, field);
  if (text.length > MAX_SEALED_LENGTH)
    throw badRequest(field, `${field} is larger than ${MAX_SEALED_LENGTH} characters`);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw badRequest(field, `${field} must be base64`);
  return text;
}

type Token = { readonly token: string; readonly fingerprint: string } | undefined;

/** Fingerprints the unencrypted parts of a request, because encrypting the same content again gives other bytes. */
function tokenOf(call: ActorCall, parts: readonly string[]): Token {
  const token = idempotencyToken(call);
  if (token === undefined) return undefined;
  return { token, fingerprint: createHash('sha256').update(JSON.stringify(parts)).digest('base64url') };
}

/** Returns the seqId of an earlier request with the same message id or token, if there was one. */
function earlierResult(
  { platform, actor }: ActorCall,
  conversation: Conversation | undefined,
  { messageId }: Sealed,
  given: Token,
): string | undefined {
  const sent = conversation?.sentSeqId(actor, messageId);
  if (sent !== undefined) return sent;
  if (given === undefined) return undefined;
  const first = platform.tokens.find(actor.id, given.token, platform.now());
  if (first === undefined) return undefined;
  if (first.fingerprint !== given.fingerprint) {
    throw new Problem(409, 'idempotency_conflict', 'This idempotency-token was used with a different body');
  }
  return first.subjectId;
}

function keyAnswer(conversation: Conversation, seqId: string, status = 200): SandboxResponse {
  const change = conversation.keyChanges.find((each) => each.seqId === seqId);
  return answer(conversation, 'key_change', change && keyChangeForm(change), status);
}

function eventAnswer(conversation: Conversation, seqId: string, status = 200): SandboxResponse {
  const event = conversation.findEvent(seqId);
  return answer(conversation, 'event', event && eventForm(event), status);
}

function answer({ id }: Conversation, name: string, form: object | undefined, status: number): SandboxResponse {
  if (form === undefined) throw notFound(name, id);
  const headers = status === 200 ? { 'idempotent-replayed': 'true' } : undefined;
  return jsonText(JSON.stringify({ conversation_id: id, [name]: form }), status, headers);
}
