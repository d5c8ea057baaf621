import { nextSnowflake } from '../dataset/snowflake.ts';
import { fileOf } from '../dataset/uploads.ts';
import { jsonResponse, ref, replayable } from '../http/contract.ts';
import { idempotencyToken } from '../http/input.ts';
import type { ActorCall, ActorOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { jsonText, type SandboxResponse } from '../http/response.ts';
import { badRequest } from '../refusal.ts';
import { formatOf } from '../uploads/formats.ts';

const MAX_SIDE = 8_192;
const MAX_DURATION_MS = 24 * 60 * 60 * 1000;
/**
 * The fingerprint of every upload. The bytes are not included, because a client that downloads the file again for a
 * retry may get different bytes.
 */
const FINGERPRINT = 'upload';

export const uploadMediaOperation: ActorOperation = {
  id: 'uploadMedia',
  method: 'POST',
  path: '/api/media',
  access: 'actor',
  contract: {
    summary: 'Uploads a picture or a video, which only the same actor can attach. It survives a crash after the 201.',
    description:
      'An upload that is not attached within 24 hours is deleted. The bytes are served under `/media/uploads/` with their type and with support for ranges. A repeated `idempotency-token` returns the first result, without a comparison of the bytes. Problems: `media_refused` 415 (unsupported type), 413 (larger than 5 MiB; gif 15 MiB; video 512 MiB) and 400 (no bytes, or bytes that do not match `Content-Type`), `idempotency_conflict` 409.',
    parameters: [
      'IdempotencyToken',
      {
        name: 'width',
        in: 'query',
        required: true,
        description: 'Pixels.',
        schema: { type: 'integer', minimum: 1, maximum: 8192 },
        example: 640,
      },
      {
        name: 'height',
        in: 'query',
        required: true,
        description: 'Pixels.',
        schema: { type: 'integer', minimum: 1, maximum: 8192 },
        example: 480,
      },
      {
        name: 'duration_ms',
        in: 'query',
        description: 'The duration of a video, if it is known.',
        schema: { type: 'integer', minimum: 0, maximum: 86400000 },
      },
    ],
    body: {
      required: true,
      content: {
        'image/jpeg': { schema: { type: 'string', format: 'binary' } },
        'image/png': { schema: { type: 'string', format: 'binary' } },
        'image/webp': { schema: { type: 'string', format: 'binary' } },
        'image/gif': { schema: { type: 'string', format: 'binary' } },
        'video/mp4': { schema: { type: 'string', format: 'binary' } },
        'video/quicktime': { schema: { type: 'string', format: 'binary' } },
      },
    },
    responses: {
      201: replayable(
        jsonResponse('The upload. The header `idempotent-replayed: true` marks the repeated first result of a token.', {
          type: 'object',
          required: ['media'],
          properties: { media: { type: 'object', required: ['id'], properties: { id: ref('Id') } } },
        }),
      ),
    },
  },
  maxBytes: ({ 'content-type': type }) => formatOf(type).maxBytes,
  handle(call) {
    const { platform, actor, received } = call;
    const format = formatOf(call.headers['content-type']);
    const token = idempotencyToken(call);
    const first = token === undefined ? undefined : platform.tokens.find(actor.id, token, platform.now());
    if (first !== undefined) {
      if (first.fingerprint === FINGERPRINT) return uploaded(first.subjectId, { 'idempotent-replayed': 'true' });
      throw new Problem(409, 'idempotency_conflict', 'This idempotency-token was used for a different request');
    }
    if (received === undefined || received.size === 0) throw new Problem(400, 'media_refused', 'The media is empty');
    if (!format.matchesHead(received.head))
      throw new Problem(400, 'media_refused', 'The bytes do not match the Content-Type');
    const entry = {
      kind: 'media',
      id: nextSnowflake(platform.now(), platform.dataset.uploads.last),
      user: actor.id,
      format: format.kind,
      extension: format.extension,
      width: numberIn(call, 'width', 1, MAX_SIDE),
      height: numberIn(call, 'height', 1, MAX_SIDE),
      durationMs: call.query.has('duration_ms') ? numberIn(call, 'duration_ms', 0, MAX_DURATION_MS) : null,
      at: platform.now(),
      ...(token === undefined ? {} : { token, fingerprint: FINGERPRINT }),
    } as const;
    platform.files.remove(platform.dataset.uploads.sweep(platform.now()));
    // Store the file before the entry. A crash in between leaves a file without an entry, but never an entry without
    // its file.
    platform.files.keep(received, fileOf(entry));
    platform.commit(entry);
    return uploaded(entry.id);
  },
};

function numberIn({ query }: ActorCall, name: string, least: number, most: number): number {
  const text = query.get(name) ?? '';
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value < least || value > most) throw badRequest(name, `${name} must be an integer from ${least} to ${most}`);
  return value;
}

function uploaded(id: string, headers?: Record<string, string>): SandboxResponse {
  return jsonText(JSON.stringify({ media: { id } }), 201, headers);
}
