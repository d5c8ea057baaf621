import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher, Pool } from 'undici';
import type { ConnectionLimiter } from './connection-limiter.ts';
import { ConnectionLostError, ServerMisbehavedError } from './faults.ts';

export interface LimitedClientOptions extends Omit<Client.Options, 'connect'> {
  connect: buildConnector.connector;
  /** Counts the sockets. */
  counter?: Pick<ConnectionLimiter, 'count'>;
  /**
   * Bytes that may arrive for one request. `maxResponseSize` counts those of the body alone, and chunk extensions
   * (RFC 9112 section 7.1.1) can be of any length.
   */
  maxReceivedBytes?: number;
}

interface CurrentRequest {
  /** How many connections may still be opened for this request. */
  connections: number;
  /** The socket of the connection that was opened last. */
  socket: Socket | null;
  /** Bytes that had arrived on `socket` before this request. */
  bytesBefore: number;
}

/** A server can ask for connections to be kept open (`Keep-Alive: timeout`), for no longer than this. */
const keepAliveMaxTimeout = 30_000;

/**
 * A client that connects at most once for each request. Undici's own connects again, without limit and without delay, if
 * a connection ends before a request could be written to it: a server that sends a byte at once, or closes, would keep
 * it busy at more than a thousand connections a second. Here the request fails with `ConnectionLostError` instead.
 *
 * Undici hands a client without pipelining one request at a time, so the count of the client is that of its request.
 */
export class LimitedClient extends Client {
  readonly #request: CurrentRequest;

  constructor(origin: string | URL, { connect, counter, maxReceivedBytes, ...options }: LimitedClientOptions) {
    const request: CurrentRequest = { connections: 0, socket: null, bytesBefore: 0 };
    super(origin, {
      keepAliveMaxTimeout,
      ...options,
      connect: (target, callback) => {
        // Undici does not expect the callback before this function returns.
        if (request.connections === 0) return queueMicrotask(() => callback(new ConnectionLostError(), null));
        request.connections -= 1;
        connect(target, (...[error, socket]) => {
          if (error) return callback(error, null);
          counter?.count(socket);
          if (maxReceivedBytes !== undefined) limitBytes(socket, maxReceivedBytes, request);
          callback(null, socket);
        });
      },
    });
    this.#request = request;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#request.connections = 1;
    this.#request.bytesBefore = this.#request.socket?.bytesRead ?? 0;
    return super.dispatch(options, handler);
  }
}

function limitBytes(socket: Socket, maxBytes: number, request: CurrentRequest): void {
  request.socket = socket;
  request.bytesBefore = socket.bytesRead;
  socket.on('readable', () => {
    if (socket.bytesRead - request.bytesBefore <= maxBytes) return;
    socket.destroy(new ServerMisbehavedError(`sends more than ${maxBytes} bytes`));
  });
}

/** A pool of `LimitedClient`s. */
export function limitedPool(origin: string | URL, options: LimitedClientOptions & { connections?: number }): Pool {
  const { connections = null, ...ofClient } = options;
  return new Pool(origin, { connections, factory: (url) => new LimitedClient(url, ofClient) });
}
