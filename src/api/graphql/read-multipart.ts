import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { MediaService } from '../../media/media-service.ts';
import type { ReceivedFile } from '../../media/received-file.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { hasHungUp } from '../http/json-body.ts';
import { FileMap } from './file-map.ts';

const limits = { files: 10, fields: 2, fieldSize: 1024 * 1024, fieldNameSize: 100, headerPairs: 20, headerSize: 8_192 };

/** The parser reports this type for a part without a Content-Type header (RFC 7578 section 4.4), so it is treated as no declared type. */
const unsaid = 'text/plain';

export function isMultipart({ headers }: IncomingMessage): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '');
}

/**
 * Reads a GraphQL multipart request (https://github.com/jaydenseric/graphql-multipart-request-spec): the parts `operations`, in which null
 * stands for each file, and `map`, followed by the files. Streams the files to disk and adds them to `files`. The caller must discard
 * `files`, even if this function throws. Another website cannot send this request from a form, because `Authorization` is required and
 * browsers send it across origins only after a preflight.
 */
export async function readMultipart(
  request: IncomingMessage,
  { media, account }: { media: MediaService; account: string },
  files: ReceivedFile[],
): Promise<Readonly<Record<string, unknown>>> {
  const map = new FileMap();
  const receiving: Promise<void>[] = [];
  const arriving = new Set<BusboyFileStream>();
  await new Promise<void>((resolve, reject) => {
    const parser = begin(request);
    const fail = (error: unknown) => {
      request.unpipe(parser);
      // The rest of the body must be consumed. Otherwise the client would not read the response.
      request.resume();
      parser.destroy();
      // The parser does not end these streams, and `media.receive` would wait for them forever.
      for (const stream of arriving) stream.destroy(new Error('the request has failed'));
      reject(asPosternError(error));
    };
    const receive = async (name: string, stream: BusboyFileStream, type: string) => {
      try {
        map.expect(name);
        const declaredType = type === unsaid ? null : type;
        const file = await media.receive(stream, { declaredType, field: map.fieldOf(name), account });
        files.push(file);
        map.put(name, file);
      } catch (error) {
        stream.resume();
        fail(error);
      } finally {
        arriving.delete(stream);
      }
    };
    parser.on('error', () => fail(malformed('it is not multipart/form-data, although its Content-Type declares it')));
    parser.on('file', (name, stream, _fileName, _encoding, type) => {
      stream.on('error', () => {});
      arriving.add(stream);
      receiving.push(receive(name, stream, type));
    });
    parser.on('field', (name, value, _nameCut, isCut) => {
      try {
        if (isCut)
          throw new PosternError('body_too_large', `The part ${name} is larger than ${limits.fieldSize} bytes`);
        map.read(name, value);
      } catch (error) {
        fail(error);
      }
    });
    for (const limit of ['filesLimit', 'fieldsLimit']) {
      parser.on(limit, () => fail(malformed(`it may have operations, map and ${limits.files} files`)));
    }
    parser.on('finish', () => void Promise.all(receiving).then(() => resolve()));
    const cut = () => {
      if (hasHungUp(request)) fail(malformed('it is incomplete'));
    };
    request.once('error', cut);
    request.once('close', cut);
    if (hasHungUp(request)) cut();
    else request.pipe(parser);
  }).finally(() => Promise.allSettled(receiving));
  return map.operations();
}

function begin(request: IncomingMessage) {
  try {
    const type = request.headers['content-type'] ?? '';
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      limits,
      // A part is a file by its name. The default of the parser, which decides by content type, would be wrong here.
      isPartAFile: (name) => name !== 'operations' && name !== 'map',
    });
  } catch {
    throw malformed('its Content-Type needs a boundary');
  }
}

function malformed(reason: string): PosternError {
  return new PosternError('unreadable_body', `The multipart body could not be read: ${reason}`);
}
