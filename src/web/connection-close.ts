import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Of each connection: the responses that have not closed. */
const openResponses = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Makes a response emit `close` when its connection closes. Node does that for the response that has the socket alone. The response
 * to a pipelined request waits without a socket for the one before it, and without this nothing that is held until `close` would ever
 * be given back.
 */
export function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  const responses = openResponses.get(socket) ?? watch(socket);
  responses.add(response);
  response.once('close', () => responses.delete(response));
}

function watch(socket: Socket): Set<ServerResponse> {
  const responses = new Set<ServerResponse>();
  openResponses.set(socket, responses);
  socket.once('close', () => {
    for (const response of responses) {
      // Node closes the one that has the socket, and those that have been sent.
      if (response.socket || response.writableFinished) continue;
      response.destroy();
      response.emit('close');
    }
  });
  return responses;
}
