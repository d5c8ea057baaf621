import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterClose } from '../http/request-locals.ts';

/** The open responses to pipelined requests, by connection. */
const openResponses = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Makes a response emit `close` when its connection closes. Node does this only for the response that currently owns the socket. The
 * response to a pipelined request has no socket while it waits for the previous response, so resources that are released at `close` would
 * leak.
 */
export function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  // Node emits `close` itself for a response that has its socket from the beginning.
  if (response.socket) return;
  const responses = openResponses.get(socket) ?? watch(socket);
  responses.add(response);
  afterClose(response, () => responses.delete(response));
}

function watch(socket: Socket): Set<ServerResponse> {
  const responses = new Set<ServerResponse>();
  openResponses.set(socket, responses);
  socket.once('close', () => {
    for (const response of responses) {
      // Node itself emits `close` for the response that owns the socket and for responses that were sent.
      if (response.socket || response.writableFinished) continue;
      response.destroy();
      response.emit('close');
    }
  });
  return responses;
}
