import { answers, ref, replayable } from '../contract/schema.ts';
import { nextSnowflake } from '../dataset/snowflake.ts';
import { fileOf } from '../dataset/uploads.ts';
import { jsonText, type SandboxResponse } from '../http/answer.ts';
import { idempotencyToken } from '../http/input.ts';
import type { ActorCall, ActorOperation } from '../http/operation.ts';
import { badRequest, Problem } from '../http/problem.ts';
import { formatOf } from '../uploads/formats.ts';

const LONGEST_SIDE = 8_192;
const LONGEST_MS = 24 * 60 * 60 * 1000;
/** The same bytes need not come again with a token: what they are fetched from may have others by then. */
const FINGERPRINT = 'upload';

export const uploadMedia: ActorOperation = {
  id: 'uploadMedia',
  method: 'POST',
  path: '/api/media',
  access: 'actor',
  contract: {
    summary:
      'Takes the bytes of a picture or a video, to be attached by the same actor. What was answered 201 survives a crash.',
    description:
      'What is attached to nothing is gone after 24 hours. The bytes are served under `/media/uploads/`, with their type, and in ranges. With an `idempotency-token` that was used before the first result comes again, whatever the bytes. Problems: `media_refused` 415 (another type), 413 (larger than 5 MiB, a gif than 15 MiB, a video than 512 MiB) and 400 (no bytes, or not of the type that `Content-Type` says), `idempotency_conflict` 409.',
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
        description: 'Of a video, where it is known.',
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
        answers('The upload. With the header `idempotent-replayed: true` it is the first result of the token.', {
          type: 'object',
          required: ['media'],
          properties: { media: { type: 'object', required: ['id'], properties: { id: ref('Id') } } },
        }),
      ),
    },
  },
  mostBytes: ({ 'content-type': type }) => formatOf(type).mostBytes,
  handle(call) {
    const { platform, actor, received } = call;
    const format = formatOf(call.headers['content-type']);
    const token = idempotencyToken(call);
    const first = token === undefined ? undefined : platform.tokens.find(actor.id, token, platform.now());
    if (first !== undefined) {
      if (first.fingerprint === FINGERPRINT) return uploaded(first.subjectId, { 'idempotent-replayed': 'true' });
      throw new Problem(409, 'idempotency_conflict', 'This idempotency-token came with another request before');
    }
    if (received === undefined || received.size === 0) throw new Problem(400, 'media_refused', 'It has no bytes');
    if (!format.begins(received.head)) throw new Problem(400, 'media_refused', 'Its bytes are of another type');
    const entry = {
      kind: 'media',
      id: nextSnowflake(platform.now(), platform.dataset.uploads.last),
      user: actor.id,
      format: format.kind,
      extension: format.extension,
      width: numberIn(call, 'width', 1, LONGEST_SIDE),
      height: numberIn(call, 'height', 1, LONGEST_SIDE),
      durationMs: call.query.has('duration_ms') ? numberIn(call, 'duration_ms', 0, LONGEST_MS) : null,
      at: platform.now(),
      ...(token === undefined ? {} : { token, fingerprint: FINGERPRINT }),
    } as const;
    platform.files.remove(platform.dataset.uploads.sweep(platform.now()));
    // Before the entry, so that a crash between leaves bytes without an upload, never an upload without its bytes.
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
