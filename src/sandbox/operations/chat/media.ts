import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { answers, closed } from '../../contract/schema.ts';
import { json } from '../../http/answer.ts';
import type { ActorOperation } from '../../http/operation.ts';
import { notFound, Problem } from '../../http/problem.ts';
import { ownConversation } from './find.ts';

/** 512 MiB, and what their seal adds. */
const MOST_BYTES = 540 * 1024 * 1024;

/** Sealed bytes for the participants of a conversation, known by the base64url of their SHA-256. */
export const uploadChatMedia: ActorOperation = {
  id: 'uploadChatMedia',
  method: 'POST',
  path: '/api/chat/conversations/{id}/media',
  access: 'actor',
  contract: {
    summary:
      'Stores up to 540 MiB of encrypted bytes for the participants of a conversation. The platform cannot decrypt them. Problems: `media_refused` 400 and 413.',
    body: { required: true, content: { 'application/octet-stream': { schema: {} } } },
    responses: {
      201: answers(
        'The bytes are stored.',
        closed({
          media_hash_key: { type: 'string', description: 'base64url of the SHA-256 of the bytes.' },
          size: { type: 'integer' },
        }),
      ),
    },
  },
  mostBytes: () => MOST_BYTES,
  async handle(call) {
    const { platform, actor, received } = call;
    const conversation = ownConversation(call);
    if (received === undefined || received.size === 0) throw new Problem(400, 'media_refused', 'It has no bytes');
    const digest = createHash('sha256');
    for await (const chunk of createReadStream(received.path)) digest.update(chunk as Buffer);
    const hash = digest.digest('base64url');
    const { size } = received;
    // While it was read the dataset may have been reset.
    const isThere = platform.dataset.chats.conversations.get(conversation.id) === conversation;
    if (!isThere) throw notFound('conversation', conversation.id);
    if (!platform.dataset.chats.media.has(hash)) {
      // Before the entry, so that a crash between leaves bytes without an entry, never an entry without its bytes.
      platform.chatFiles.keep(received, hash);
      const other = conversation.other(actor).id;
      platform.commit({ kind: 'chat_media', user: actor.id, other, hash, size, at: platform.now() });
    }
    return json({ media_hash_key: hash, size }, 201);
  },
};

/** In pieces, as base64: an answer is JSON. */
export const chatMedia: ActorOperation = {
  id: 'chatMedia',
  method: 'GET',
  path: '/api/chat/media/{media_hash_key}',
  access: 'actor',
  contract: {
    summary:
      'Encrypted bytes, one mebibyte at a time, for the participants of the conversation. Problems: `not_found` 404 (resource `media`).',
    parameters: [{ name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0, default: 0 } }],
    responses: {
      200: answers(
        'One part of the bytes.',
        closed({
          size: { type: 'integer' },
          bytes: { type: 'string', contentEncoding: 'base64' },
          next_offset: { type: ['integer', 'null'] },
        }),
      ),
    },
  },
  async handle({ platform, params, query, actor }) {
    const hash = params['media_hash_key'] ?? '';
    const { chats } = platform.dataset;
    const media = chats.media.get(hash);
    const conversation = media && chats.conversations.get(media.conversation);
    if (media === undefined || conversation?.has(actor) !== true) throw notFound('media', hash);
    const offset = Math.min(media.size, Number(/^\d{1,12}$/.exec(query.get('offset') ?? '0')?.[0] ?? 0));
    const end = Math.min(media.size, offset + PIECE_BYTES);
    const chunks: Buffer[] = [];
    if (end > offset) {
      for await (const chunk of platform.chatFiles.read(hash, offset, end - 1)) chunks.push(chunk as Buffer);
    }
    const next = end < media.size ? end : null;
    return json({ size: media.size, bytes: Buffer.concat(chunks).toString('base64'), next_offset: next });
  },
};

const PIECE_BYTES = 1024 * 1024;
