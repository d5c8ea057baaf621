import { connect, type Socket } from 'node:net';
import type { ConnectionLimiter } from './connection-limiter.ts';
import { type RaceOptions, race } from './race.ts';

export interface SocketOptions extends Pick<RaceOptions, 'runtime' | 'timeoutMs'> {
  /** Counts every attempt. While it is crowded, only one attempt runs at a time. */
  counter?: Pick<ConnectionLimiter, 'count' | 'crowded'>;
}

/** Called with a connected socket and its address in `addresses`, or with the error of the last attempt. */
export type OnSocket = (...result: [error: Error] | [error: null, socket: Socket, address: string]) => void;

/** Connects to the first of the addresses that answers. Nothing is sent, so no request can arrive twice. */
export function openSocket(addresses: readonly string[], port: number, options: SocketOptions, callback: OnSocket) {
  const { counter, ...limits } = options;
  // The code is undici's. Timeouts of the TLS handshake have it, too.
  const late = () => Object.assign(new Error('no connection in time'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
  const mayOverlap = () => !counter?.crowded;
  race<Socket>(
    addresses,
    { ...limits, late, mayOverlap },
    (host, attempt) => {
      // With `autoSelectFamily`, Node ends each attempt after 250 ms, so a slow address could never be used.
      const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000, highWaterMark: 64 * 1024 };
      const socket = connect({ ...socketOptions, host, port, autoSelectFamily: false });
      counter?.count(socket);
      socket.once('connect', () => attempt.succeed(socket));
      // The listener stays, because an error of the winner must not end the process before its user listens.
      socket.on('error', (error) => attempt.fail(error));
      attempt.startDelay();
      return () => void socket.destroy();
    },
    callback,
  );
}
