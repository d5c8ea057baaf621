import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ActorOperation } from '../../http/operation.ts';
import { Problem } from '../../http/problem.ts';
import { json } from '../../http/response.ts';
import { notFound } from '../../refusal.ts';
import { ownConversation } from './find.ts';

/** 512 MiB of content, plus the overhead of encryption. */
const MAX_BYTES = 540 * 1024 * 1024;

/**
 * Stores an encrypted attachment for the participants of a conversation. Its id is the base64url of the SHA-256 of the
 * encrypted bytes.
 */
export const uploadChatMedia: ActorOperation = {
  id: 'uploadChatMedia',
  method: 'POST',
  path: '/sandbox/chat/conversations/{id}/media',
  access: 'actor',
  maxBytes: () => MAX_BYTES,
  async handle(call) {
    const { platform, actor, received } = call;
    const conversation = ownConversation(call);
    if (received === undefined || received.size === 0) throw new Problem(400, 'media_refused', 'The media is empty');
    const digest = createHash('sha256');
    for await (const chunk of createReadStream(received.path)) digest.update(chunk as Buffer);
    const hash = digest.digest('base64url');
    const { size } = received;
    // A reset may have replaced the dataset while the body was read.
    const isThere = platform.dataset.chats.conversations.get(conversation.id) === conversation;
    if (!isThere) throw notFound('conversation', conversation.id);
    if (!platform.dataset.chats.media.has(hash)) {
      // Store the file before the entry. A crash in between leaves a file without an entry, but never an entry without
      // its file.
      platform.chatFiles.keep(received, hash);
      const other = conversation.other(actor).id;
      platform.commit({ kind: 'chat_media', user: actor.id, other, hash, size, at: platform.now() });
    }
    return json({ media_hash_key: hash, size }, 201);
  },
};

/** Returns part of an attachment, as base64 in JSON. */
export const chatMedia: ActorOperation = {
  id: 'chatMedia',
  method: 'GET',
  path: '/sandbox/chat/media/{media_hash_key}',
  access: 'actor',
  async handle({ platform, params, query, actor }) {
    const hash = params['media_hash_key'] ?? '';
    const { chats } = platform.dataset;
    const media = chats.media.get(hash);
    const conversation = media && chats.conversations.get(media.conversation);
    if (media === undefined || conversation?.has(actor) !== true) throw notFound('media', hash);
    const offset = Math.min(media.size, Number(/^\d{1,12}$/.exec(query.get('offset') ?? '0')?.[0] ?? 0));
    const end = Math.min(media.size, offset + CHUNK_BYTES);
    const chunks: Buffer[] = [];
    if (end > offset) {
      for await (const chunk of platform.chatFiles.read(hash, offset, end - 1)) chunks.push(chunk as Buffer);
    }
    const next = end < media.size ? end : null;
    return json({ size: media.size, bytes: Buffer.concat(chunks).toString('base64'), next_offset: next });
  },
};

const CHUNK_BYTES = 1024 * 1024;
