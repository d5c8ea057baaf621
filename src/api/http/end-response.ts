import type { ServerResponse } from 'node:http';

/** Bytes of one slice. A slow client reads them before `UnreadResponses` would disconnect it. */
const sliceBytes = 128 * 1024;

const notWritten = new WeakMap<ServerResponse, number>();

/**
 * Ends a response with a body. A large body is written in slices, each after the client has read the slices before it, so that
 * `UnreadResponses` can distinguish a slow client from a client that does not read.
 */
export function endResponse(response: ServerResponse, body: string | Buffer): void {
  // A character takes at least one byte.
  if (body.length <= sliceBytes) response.end(body);
  else writeSlices(response, typeof body === 'string' ? Buffer.from(body) : body);
}

/** Returns the bytes of a response that its client has not read yet. */
export function unreadBytes(response: ServerResponse): number {
  return response.writableLength + (notWritten.get(response) ?? 0);
}

function writeSlices(response: ServerResponse, bytes: Buffer): void {
  let rest = bytes;
  while (rest.length > sliceBytes) {
    const hasRoom = response.write(rest.subarray(0, sliceBytes));
    rest = rest.subarray(sliceBytes);
    if (hasRoom) continue;
    notWritten.set(response, rest.length);
    const left = rest;
    response.once('drain', () => writeSlices(response, left));
    return;
  }
  notWritten.delete(response);
  response.end(rest);
}
