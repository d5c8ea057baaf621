import { connect, type Socket } from 'node:net';
import type { Runtime, Timer } from '../shared/runtime/runtime.ts';
import type { ConnectionLimiter } from './connection-limiter.ts';

/** The delay before the next address is tried in parallel (RFC 8305, section 8). */
const attemptDelayMs = 250;
export const maxAttempts = 4;

export interface SocketOptions {
  runtime: Runtime;
  /** The time limit for all attempts together, in milliseconds. */
  timeoutMs: number;
  /** Counts every attempt. While it is crowded, only one attempt runs at a time. */
  counter?: Pick<ConnectionLimiter, 'count' | 'crowded'>;
}

/** Called with a connected socket and its address in `addresses`, or with the error of the last attempt. */
export type OnSocket = (...result: [error: Error] | [error: null, socket: Socket, address: string]) => void;

/**
 * Tries the addresses in order, in parallel after a delay, and uses the first connection that opens (Happy Eyeballs,
 * RFC 8305). The other attempts are closed. Nothing is sent, so no request can arrive twice.
 */
export function openSocket(addresses: readonly string[], port: number, options: SocketOptions, callback: OnSocket) {
  const { runtime, counter } = options;
  const waiting = addresses.slice(0, maxAttempts);
  const attempts = new Set<Socket>();
  let nextAttempt: Timer | undefined;

  const end = (...result: Parameters<OnSocket>) => {
    nextAttempt?.cancel();
    deadline.cancel();
    waiting.length = 0;
    const losers = [...attempts];
    attempts.clear();
    for (const socket of losers) if (socket !== result[1]) socket.destroy();
    callback(...result);
  };
  // The code is undici's. Timeouts of the TLS handshake have it, too.
  const late = () => end(Object.assign(new Error('no connection in time'), { code: 'UND_ERR_CONNECT_TIMEOUT' }));
  const deadline = runtime.after(options.timeoutMs, late);

  const begin = (address: string) => {
    // With `autoSelectFamily`, Node ends each attempt after 250 ms, so a slow address could never be used.
    const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000, highWaterMark: 64 * 1024 };
    const socket = connect({ ...socketOptions, host: address, port, autoSelectFamily: false });
    attempts.add(socket);
    counter?.count(socket);
    socket.once('connect', () => attempts.has(socket) && end(null, socket, address));
    // The listener stays, because an error of the winner must not end the process before its user listens.
    socket.on('error', (error) => {
      if (!attempts.delete(socket)) return;
      if (waiting.length > 0) tryNext();
      else if (attempts.size === 0) end(error);
    });
  };
  const tryNext = () => {
    nextAttempt?.cancel();
    const isAllowed = attempts.size === 0 || !counter?.crowded;
    const address = isAllowed ? waiting.shift() : undefined;
    if (address !== undefined) begin(address);
    if (waiting.length > 0) nextAttempt = runtime.after(attemptDelayMs, tryNext);
  };
  tryNext();
}
