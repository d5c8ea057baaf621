import type { ServerResponse } from 'node:http';

/** A client that reads at all takes this many bytes before `UnreadResponses` would disconnect it. */
const sliceBytes = 128 * 1024;

const notWritten = new WeakMap<ServerResponse, number>();

/**
 * Ends a response with a body. A large body is written in slices, each after the client has taken those before it, so that a
 * client that reads slowly can be told from one that does not read.
 */
export function endResponse(response: ServerResponse, body: string | Buffer): void {
  // A character takes at least one byte.
  if (body.length <= sliceBytes) response.end(body);
  else writeSlices(response, typeof body === 'string' ? Buffer.from(body) : body);
}

/** Bytes of a response that its client has not taken yet. */
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
