import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { mayRun, runInTurn } from '../../shared/runtime/turns.ts';

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
    const begin = () => {
      queue.count -= 1;
      if (socket.writable) listener(request, response);
    };
    response.once('socket', () => process.nextTick(runInTurn, begin));
  };
}

/** At most about 450 requests without headers, or 1,300 chunks of one byte. */
const sliceBytes = 8 * 1024;

/**
 * Parses received bytes in slices, and continues in a later turn of the event loop if this turn has taken too long. Node
 * alone parses 64 KiB of each connection in one turn: 3,600 requests, even after the connection was closed, or 10,000
 * chunks of a body.
 */
export function parseInTurns(server: Server): void {
  server.on('connection', (socket) => {
    const [parse] = socket.listeners('data');
    if (!parse) return;
    // In the state `turn`, one slice is parsed without asking for another turn.
    let state: 'idle' | 'waiting' | 'turn' = 'idle';
    socket.removeAllListeners('data');
    socket.on('data', (bytes: Buffer) => {
      let rest = bytes;
      while (state === 'turn' || (state === 'idle' && mayRun())) {
        state = 'idle';
        parse.call(socket, rest.subarray(0, sliceBytes));
        rest = rest.subarray(sliceBytes);
        // After an error in the bytes, the socket sends a last response. Further slices would end in the same error.
        if (rest.length === 0 || !socket.writable) return;
        if (!socket.isPaused()) continue;
        // Node has paused the socket, because a body or a response is not read yet, and will resume it.
        socket.unshift(rest);
        return;
      }
      socket.pause();
      socket.unshift(rest);
      if (state === 'waiting') return;
      state = 'waiting';
      runInTurn(() => {
        state = 'turn';
        socket.resume();
      });
    });
  });
}
