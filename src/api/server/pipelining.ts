import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** The maximum number of requests of one connection that wait for an earlier response. */
const maxWaiting = 100;

const waiting = new WeakMap<Socket, number>();

/**
 * Handles the pipelined requests of a connection one after the other, which HTTP allows (RFC 9112, section 9.3.2). Node would pass all of
 * them to the listener when they arrive, so a client that never reads a response could cause any number of calls. A connection with more than
 * `maxWaiting` waiting requests is closed.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  return (request, response) => {
    // Node gives a response its socket when the previous response has been sent.
    if (response.socket) return listener(request, response);
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > maxWaiting) return socket.destroy();
    waiting.set(socket, count);
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      listener(request, response);
    });
  };
}
