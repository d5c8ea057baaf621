import { randomBytes } from 'node:crypto';
import type { PendingChatMedia } from '../chat/chats.ts';
import type { Conversation } from '../chat/conversation.ts';
import { requiredInteger, requiredString } from '../fields.ts';
import type { XOperation } from '../http/operation.ts';
import { badRequest, notFound } from '../refusal.ts';
import { addSegment, maxJsonBytes, noSegments, segmentIn } from '../uploads/segments.ts';
import { conversationForm, conversationOf } from './chat.ts';
import { appOnlyRefused } from './problems.ts';
import { checkValue } from './request.ts';
import { userOperation, type WriteCall } from './write.ts';

/** 512 MiB of content, plus the overhead of encryption. */
const maxBytes = 540 * 1024 * 1024;
const keptMs = 24 * 60 * 60 * 1000;
/** Earlier releases had keys with `-` and `_`. */
const keyForm = /^[\w-]{1,50}$/;
const ofUpload = ['conversation_id', 'media_hash_key'];

/** Encrypted attachments, which only the participants of a conversation may download. */
export const chatMediaOperations: readonly XOperation[] = [
  userOperation('chatMediaUploadInitialize', 'POST', '/2/chat/media/upload/initialize', {
    names: ['conversation_id', 'total_bytes'],
    run(call) {
      const { state, actor, body } = call;
      const { id: conversation } = conversationIn(call);
      const size = requiredInteger(body, 'total_bytes', 1, maxBytes);
      const { chats } = state.dataset;
      const startedAt = state.now();
      for (const [id, old] of chats.pendingMedia) {
        if (old.startedAt > startedAt - keptMs) break;
        chats.pendingMedia.delete(id);
        state.chatFiles.remove([old.part]);
      }
      const session = chats.nextSeqId(startedAt);
      chats.markUsed(session);
      const hash = randomBytes(16).toString('hex');
      chats.pendingMedia.set(session, { owner: actor, hash, ...noSegments(hash, size, startedAt) });
      return { data: { session_id: session, media_hash_key: hash, conversation_id: conversation } };
    },
  }),
  userOperation('chatMediaUploadAppend', 'POST', '/2/chat/media/upload/{id}/append', {
    names: ['media', 'segment_index', ...ofUpload],
    maxJsonBytes,
    async run(call) {
      const { state, body } = call;
      const segment = segmentIn(body);
      const pending = pendingIn(call);
      await addSegment(state.chatFiles, pending, segment);
      return { data: { expires_at: Math.floor((pending.startedAt + keptMs) / 1_000) } };
    },
  }),
  userOperation('chatMediaUploadFinalize', 'POST', '/2/chat/media/upload/{id}/finalize', {
    names: ['num_parts', 'message_id', 'ttl_msec', ...ofUpload],
    run(call) {
      const { state, actor, subject, body } = call;
      const { chats } = state.dataset;
      const hash = requiredString(body, 'media_hash_key');
      const conversation = conversationIn(call);
      if (chats.media.get(hash)?.conversation === conversation.id) return { data: { success: true } };
      const { bytes, totalBytes: size, next, part } = pendingIn(call);
      if (bytes !== size || requiredString(body, 'num_parts') !== String(next))
        throw badRequest('num_parts', 'Some bytes of the media are missing');
      chats.pendingMedia.delete(subject);
      // Store the file before the entry. A crash in between leaves a file without an entry, but never an entry without
      // its file.
      state.chatFiles.keep({ path: part }, hash);
      const other = conversation.other(actor).id;
      state.commit({ kind: 'chat_media', user: actor.id, other, hash, size, at: state.now() });
      return { data: { success: true } };
    },
  }),
  {
    id: 'chatMediaDownload',
    method: 'GET',
    path: '/2/chat/media/{id}/{media_hash_key}',
    access: 'x',
    handle({ platform, params, viewer }) {
      if (viewer === null) throw appOnlyRefused();
      checkValue('id', params['id'] ?? '', conversationForm);
      const hash = checkValue('media_hash_key', params['media_hash_key'] ?? '', keyForm);
      const { chats } = platform.dataset;
      const media = chats.media.get(hash);
      const conversation = media && chats.conversations.get(media.conversation);
      if (media === undefined || conversation?.has(viewer) !== true) throw notFound('media', hash);
      const stream = { size: media.size, open: () => platform.chatFiles.read(hash, 0, media.size - 1) };
      return { status: 200, body: '', contentType: 'application/octet-stream', stream };
    },
  },
];

function conversationIn(call: WriteCall): Conversation {
  return conversationOf(call, requiredString(call.body, 'conversation_id'));
}

function pendingIn({ state, actor, subject, body }: WriteCall): PendingChatMedia {
  const pending = state.dataset.chats.pendingMedia.get(subject);
  if (pending?.owner === actor && pending.hash === body['media_hash_key']) return pending;
  throw notFound('media', subject);
}
