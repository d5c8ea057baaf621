import type { ServerResponse } from 'node:http';

/** The size of one slice in bytes. It is small enough for a slow client to read within the timeout of `UnreadResponses`. */
const sliceBytes = 128 * 1024;

const notWritten = new WeakMap<ServerResponse, number>();

/**
 * Ends a response with a body. Writes a large body in slices and waits until the client has read each slice, so that `UnreadResponses` can
 * distinguish a slow client from a client that does not read.
 */
export function endResponse(response: ServerResponse, body: string | Buffer): void {
  // The length of a string is at most its size in bytes, so a long string is always sliced.
  if (body.length <= sliceBytes) response.end(body);
  else writeSlices(response, typeof body === 'string' ? Buffer.from(body) : body);
}

/** Returns the number of bytes of a response that its client has not read yet. */
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
