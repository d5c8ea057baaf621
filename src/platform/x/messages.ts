import { Readable } from 'node:stream';
import { canonicalConversationId } from '../../shared/model/conversation-id.ts';
import type { Participant } from '../../shared/model/direct-message.ts';
import type { Page } from '../../shared/model/page.ts';
import type { PlacedEvent, RegisteredChatKeys } from '../../shared/model/sealed-event.ts';
import { pageLimits, usualLimits } from '../http/answer.ts';
import {
  flag,
  InvalidResponseError,
  id,
  list,
  object,
  optional,
  readIsoTime,
  text,
  time,
  type Wire,
} from '../http/wire.ts';
import type {
  ChatConversation,
  ConversationPage,
  EventPage,
  PlatformMessages,
  SealedKeyChange,
  SealedMedia,
  SealedMessage,
  SignedAction,
  SignedDeletion,
} from '../messages-port.ts';
import type { PageRequest } from '../port.ts';
import type { XBody, XWrite } from './client.ts';
import { userFieldNames } from './fields.ts';
import { formOf, timeLeft } from './media.ts';
import { operations, writes } from './operations.ts';
import { readCard } from './read-user.ts';
import { SessionPart } from './session-parts.ts';

const MiB = 1024 * 1024;
/** The size of a segment, as X's own client has it. */
const segmentBytes = 3 * MiB;
/** The longest event in base64. Real events of 10,000 characters have a tenth. */
export const maxEventLength = 256 * 1024;
/** The maximum length of a public key or its signature: 91 bytes, in base64. They are cached. */
const maxKeyLength = 128;
/** The maximum number of the keys of a user, and of the key changes of a conversation, that are read. The oldest are left out. */
const maxKeys = 32;
const maxKeyChanges = 100;
const maxConversationId = 64;
/** The number of users whose keys are read at once. */
const readAtOnce = 4;

const keyFields = {
  'public_key.fields': 'identity_public_key_signature,public_key,public_key_version,signing_public_key',
};
const conversationFields = { 'chat_conversation.fields': 'id,is_muted,type' };
const eventFields = { 'chat_message_event.fields': 'created_at,encoded_event,id,sender_id' };
const participantFields = { expansions: 'participant_ids', 'user.fields': userFieldNames };

/** A conversation and the time of its last change, in milliseconds. */
export interface UpdatedConversation {
  readonly id: string;
  readonly updatedAt: number;
}

/** The encrypted messages of one actor: https://docs.x.com/xchat. Only conversations of two users are supported. */
export class XMessages extends SessionPart implements PlatformMessages {
  async conversations({ count, cursor }: PageRequest): Promise<ConversationPage> {
    const viewerId = await this.parts.identifiers.actorId(this.call);
    const page = { size: count, token: cursor };
    const query = { ...conversationFields, ...participantFields };
    const operation = operations.getChatConversations;
    const found = await this.get({ operation, query, page }, (body) => {
      const users = optional(list, body.includes.users, 'includes.users', []).map((user) => object(user, 'users[]'));
      return {
        ...pageOf(body, count, (item) => readConversation(item, users)),
        hasMessageRequests: optional(flag, body.meta.has_message_requests, 'has_message_requests', false),
      };
    });
    const ids = new Set(found.items.flatMap(({ participants }) => participants.map((each) => each.id)));
    const withKeys = new Set((await this.publicKeys([...ids])).map(({ userId }) => userId));
    for (const { participants } of found.items)
      for (const participant of participants) participant.hasPublicKey = withKeys.has(participant.id);
    return { ...found, viewerId };
  }

  /** Returns the ids and times of conversations, newest first. X does not bill them. */
  updated({ count, cursor }: PageRequest): Promise<Page<UpdatedConversation>> {
    const query = { 'chat_conversation.fields': 'id,updated_at' };
    const request = { operation: operations.getChatConversations, query, page: { size: count, token: cursor } };
    return this.get(request, (body) => pageOf(body, count, readUpdated));
  }

  events(conversationId: string, { count, cursor }: PageRequest): Promise<EventPage> {
    const request = { operation: operations.getChatConversationEvents, query: eventFields, ...pathOf(conversationId) };
    const page = { size: count, token: cursor };
    const limits = pageLimits(count + 10, maxEventLength);
    return this.get({ ...request, page, limits }, (body) => ({
      ...pageOf(body, count, (item) => readEvent(item, conversationId)),
      keyChanges: optional(list, body.meta.conversation_key_events, 'conversation_key_events', [])
        .slice(-maxKeyChanges)
        .map((item) => text(item, 'conversation_key_events[]', maxEventLength)),
    }));
  }

  async publicKeys(userIds: readonly string[]): Promise<RegisteredChatKeys[]> {
    const { extensions } = this.parts.features;
    const found: RegisteredChatKeys[] = [];
    for (let at = 0; at < userIds.length; at += 100) {
      const ids = userIds.slice(at, at + 100);
      const [only] = ids;
      const isOne = ids.length === 1 && only !== undefined;
      const keys = isOne ? await this.#keysOf(only) : await this.#keysOfAll(ids);
      found.push(...keys.filter(({ signingPublicKeySignature }) => !extensions || signingPublicKeySignature !== null));
    }
    return found;
  }

  changeKey(change: SealedKeyChange): Promise<string> {
    const body = {
      conversation_key_version: change.version,
      conversation_participant_keys: change.copies.map((copy) => ({
        user_id: copy.userId,
        encrypted_conversation_key: copy.encryptedKey,
        public_key_version: copy.publicKeyVersion,
      })),
      action_signatures: [actionOf(change)],
    };
    const request = { operation: writes.addConversationKeys, body };
    return this.#writeTo(change.conversationId, request, ({ sequence_id }) => id(sequence_id, 'sequence_id'));
  }

  send({ messageId, conversationId, createEvent, signature }: SealedMessage): Promise<string> {
    const body = {
      message_id: messageId,
      encoded_message_create_event: createEvent,
      encoded_message_event_signature: signature,
    };
    const request = { operation: writes.sendChatMessage, body };
    return this.#writeTo(conversationId, request, ({ encoded_message_event: event }) =>
      text(event, 'encoded_message_event', maxEventLength),
    );
  }

  async delete(deletion: SignedDeletion): Promise<void> {
    const body = {
      sequence_ids: deletion.sequenceIds,
      delete_message_action: deletion.forAll ? 'delete_for_all' : 'delete_for_self',
      action_signatures: [actionOf(deletion)],
    };
    const request = { operation: writes.deleteChatMessages, body };
    await this.#writeTo(deletion.conversationId, request, ({ deleted }) => {
      if (deleted !== true) throw new InvalidResponseError('deleted is not true');
    });
  }

  /** The file is encrypted once and sent in segments, of which one at a time is in memory. */
  async uploadMedia(conversationId: string, media: SealedMedia): Promise<string> {
    const subject = aConversation(conversationId);
    const begin = {
      operation: writes.chatMediaUploadInitialize,
      body: { conversation_id: conversationId, total_bytes: media.size },
    };
    const { session, hashKey } = await this.write({ ...begin, subject }, (data) => ({
      session: id(data.session_id, 'session_id'),
      hashKey: text(data.media_hash_key, 'media_hash_key', maxKeyLength),
    }));
    const ids = [session];
    const about = { conversation_id: conversationId, media_hash_key: hashKey };
    const left = timeLeft(this.parts, media.size);
    let index = 0;
    for await (const segment of segmentsOf(media.open())) {
      const open = (from: number, to: number) => Readable.from([segment.subarray(from, to)], { objectMode: false });
      const file = { type: 'application/octet-stream', open };
      const bytes = formOf({ ...about, segment_index: String(index) }, file, 0, segment.length);
      const append = { operation: writes.chatMediaUploadAppend, ids, bytes, part: `${session} ${index}`, subject };
      await this.write({ ...append, mostMs: left() }, () => undefined);
      index += 1;
    }
    const body = { ...about, num_parts: String(index) };
    await this.write(
      { operation: writes.chatMediaUploadFinalize, ids, body, part: session, subject },
      ({ success }) => {
        if (success !== true) throw new InvalidResponseError('success is not true');
      },
    );
    return hashKey;
  }

  /** X's document does not say whose keys the rows of a list are. If they do not tell, the users are read one by one. */
  async #keysOfAll(ids: readonly string[]): Promise<RegisteredChatKeys[]> {
    const request = { operation: operations.getUsersPublicKeys, query: { ids: ids.join(','), ...keyFields } };
    const rows = await this.get({ ...request, limits: usualLimits, mayBeEmpty: true, isBulk: true }, ({ data }) =>
      optional(list, data, 'data', []).map((row) => object(row, 'data[]')),
    );
    if (rows.every(({ user_id }) => user_id !== undefined))
      return newest(rows, rows.length).map((row) => readKeys(row, id(row.user_id, 'user_id')));
    const found: RegisteredChatKeys[] = [];
    for (let at = 0; at < ids.length; at += readAtOnce) {
      const some = await Promise.all(ids.slice(at, at + readAtOnce).map((each) => this.#keysOf(each)));
      found.push(...some.flat());
    }
    return found;
  }

  #keysOf(userId: string): Promise<RegisteredChatKeys[]> {
    const request = { operation: operations.getUsersPublicKey, ids: [userId], query: keyFields };
    return this.get({ ...request, mayBeEmpty: true, isBulk: true }, ({ data }) =>
      newest(optional(list, data, 'data', [])).map((row) => readKeys(object(row, 'data[]'), userId)),
    );
  }

  #writeTo<Body extends string, T>(
    conversationId: string,
    request: Omit<XWrite<Body>, 'ids' | 'subject'>,
    read: (data: Wire) => T,
  ): Promise<T> {
    return this.write({ ...request, ...pathOf(conversationId) }, read);
  }
}

const aConversation = (conversationId: string) => ({ kind: 'Conversation', id: conversationId }) as const;

/** Paths have `-` between the ids, and bodies have `:`. */
function pathOf(conversationId: string) {
  return { ids: [conversationId.replace(':', '-')], subject: aConversation(conversationId) };
}

function actionOf({ messageId, detail, signature, publicKeyVersion, signatureVersion }: SignedAction) {
  return {
    message_id: messageId,
    encoded_message_event_detail: detail,
    message_event_signature: { signature, public_key_version: publicKeyVersion, signature_version: signatureVersion },
  };
}

function pageOf<Item>({ data, meta }: XBody, count: number, read: (item: Wire) => Item | null) {
  const items = optional(list, data, 'data', []).slice(0, count);
  return {
    items: items.map((item) => read(object(item, 'data[]'))).filter((item) => item !== null),
    cursor: optional(text, meta.next_token, 'next_token', null),
  };
}

/** Returns `null` for a group. */
function readConversation(conversation: Wire, users: readonly Wire[]): ChatConversation | null {
  const conversationId = idOf(conversation);
  if (conversationId === undefined) return null;
  const participants = conversationId.split(':').flatMap((userId) => {
    const user = users.find((each) => each.id === userId);
    return user === undefined ? [] : [readParticipant(user)];
  });
  return {
    id: conversationId,
    // X does not list the values of `type`.
    kind: 'one_to_one',
    muted: optional(flag, conversation.is_muted, 'is_muted', false),
    hasMore: optional(flag, conversation.has_more, 'has_more', false),
    participants,
  };
}

/** Returns `null` for a group, and without a time. */
function readUpdated(conversation: Wire): UpdatedConversation | null {
  const id = idOf(conversation);
  if (id === undefined || conversation.updated_at === undefined) return null;
  return { id, updatedAt: time(conversation.updated_at, 'updated_at').getTime() };
}

/** Returns undefined for a group. */
function idOf(conversation: Wire): string | undefined {
  return canonicalConversationId(text(conversation.id, 'id', maxConversationId));
}

function readParticipant(user: Wire): Participant {
  const { type, id, userName, name, url, profilePicture, isVerified, isBlueVerified, canDm, createdAt } =
    readCard(user);
  return {
    ...{ type, id, userName, name, url, profilePicture, isVerified, isBlueVerified, canDm },
    hasPublicKey: false,
    createdAt,
  };
}

/** Returns `null` without the fields that X does not promise. */
export function readEvent(event: Wire, conversationId: string): PlacedEvent | null {
  const { sender_id, created_at, encoded_event } = event;
  if (sender_id === undefined || created_at === undefined || encoded_event === undefined) return null;
  return {
    seqId: id(event.id, 'id'),
    senderId: id(event.sender_id, 'sender_id'),
    conversationId,
    createdAt: readIsoTime(event.created_at, 'created_at'),
    encoded: text(event.encoded_event, 'encoded_event', maxEventLength),
  };
}

/** The id of an event has the conversation and the sequence id only, so that every source of events gives the same id. */
export function messageEvent(message: PlacedEvent, fromMe: boolean) {
  const type = fromMe ? ('message.sent' as const) : ('message.received' as const);
  return { id: `${message.conversationId} ${message.seqId}`, type, tweet: null, message, fromMe };
}

/** Returns the last items, which are the newest. */
function newest<Item>(items: readonly Item[], max = maxKeys): readonly Item[] {
  return items.slice(-max);
}

function readKeys(row: Wire, userId: string): RegisteredChatKeys {
  const key = (value: unknown, field: string) => text(value, field, maxKeyLength);
  return {
    userId,
    publicKeyVersion: key(row.public_key_version, 'public_key_version'),
    publicKey: key(row.public_key, 'public_key'),
    signingPublicKey: key(row.signing_public_key, 'signing_public_key'),
    identityPublicKeySignature: key(row.identity_public_key_signature, 'identity_public_key_signature'),
    signingPublicKeySignature: optional(key, row.signing_public_key_signature, 'signing_public_key_signature', null),
  };
}

/** Cuts bytes into segments of equal size. The last one may be shorter. */
async function* segmentsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (let chunk of bytes) {
    while (size + chunk.length >= segmentBytes) {
      const rest = segmentBytes - size;
      yield Buffer.concat([...waiting, chunk.subarray(0, rest)]);
      [waiting, size, chunk] = [[], 0, chunk.subarray(rest)];
    }
    if (chunk.length > 0) waiting.push(chunk);
    size += chunk.length;
  }
  if (size > 0) yield Buffer.concat(waiting);
}
