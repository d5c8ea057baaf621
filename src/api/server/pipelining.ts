import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The maximum number of requests of one connection that wait for an earlier response. Node keeps the headers (up to 16 KiB) and the beginning
 * of the body (up to 64 KiB) of each in memory.
 */
const maxWaiting = 20;

const waiting = new WeakMap<Socket, { count: number }>();

/**
 * Calls `listener` for one request of a connection at a time. Node alone would call it for every pipelined request on arrival, so a client could
 * start many calls without reading a response. The connection is closed if more than `maxWaiting` requests wait.
 */
export function serializePipelined(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (response.socket) return listener(request, response);
    const { socket } = request;
    const queue = waiting.get(socket) ?? { count: 0 };
    waiting.set(socket, queue);
    queue.count += 1;
    if (queue.count > maxWaiting) return socket.destroy();
    // Node gives a response its socket when the previous response has ended, also if it ended because the connection was lost. The
    // previous response emits `close` before the next tick.
    response.once('socket', () =>
      process.nextTick(() => {
        queue.count -= 1;
        if (socket.writable) listener(request, response);
      }),
    );
  };
}
