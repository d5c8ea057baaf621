import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type buildConnector, Client, type Dispatcher, Pool } from 'undici';
import type { ConnectionLimiter } from './connection-limiter.ts';
import { ConnectionLostError, ServerMisbehavedError } from './errors.ts';
import type { LimitedDispatchOptions } from './limited-exchange.ts';

/** A connector of undici that gets the API account of the request for which it connects; empty if there is none. */
export type Connector = (
  options: buildConnector.Options & { account: string },
  callback: buildConnector.Callback,
) => void;

export interface LimitedClientOptions extends Omit<Client.Options, 'connect'> {
  connect: Connector;
  /** Counts the client's sockets. */
  counter?: Pick<ConnectionLimiter, 'count'>;
  /**
   * The limit of bytes received for one request. undici's `maxResponseSize` counts the body only, but chunk extensions
   * (RFC 9112, section 7.1.1) can have any length.
   */
  maxReceivedBytes?: number;
}

/** The socket of a client. `paused` is true while the socket is not read. */
interface SocketState {
  paused: boolean;
  socket: Socket | null;
}

interface CurrentRequest {
  account: string;
  /** The number of connections that this request may still open. */
  connections: number;
  /** The socket of the latest connection. */
  socket: Socket | null;
  /** The number of bytes received on `socket` before this request. */
  bytesBefore: number;
}

/** The maximum time that a server may request with `Keep-Alive: timeout`. */
const keepAliveMaxTimeout = 30_000;

/**
 * An HTTP client that opens at most one connection per request, and otherwise fails with `ConnectionLostError`.
 * undici's client reconnects without limit if a connection ends before a request is written. A server that closes
 * connections at once could cause more than a thousand connections per second.
 *
 * Without pipelining, undici passes one request at a time to a client, so the state of a client is that of its current
 * request.
 */
export class LimitedClient extends Client {
  readonly #request: CurrentRequest;
  readonly #reading: SocketState;

  constructor(origin: string | URL, { connect, counter, maxReceivedBytes, ...options }: LimitedClientOptions) {
    const request: CurrentRequest = { account: '', connections: 0, socket: null, bytesBefore: 0 };
    const reading: SocketState = { paused: false, socket: null };
    super(origin, {
      keepAliveMaxTimeout,
      ...options,
      connect: (target, callback) => {
        // undici does not support a callback that runs before this function returns.
        if (request.connections === 0) return queueMicrotask(() => callback(new ConnectionLostError(), null));
        request.connections -= 1;
        connect({ ...target, account: request.account }, (...[error, socket]) => {
          if (error) return callback(error, null);
          counter?.count(socket);
          makePausable(socket, reading);
          if (maxReceivedBytes !== undefined) limitBytes(socket, maxReceivedBytes, request);
          callback(null, socket);
        });
      },
    });
    this.#request = request;
    this.#reading = reading;
  }

  override dispatch(options: LimitedDispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#request.account = options.account ?? '';
    this.#request.connections = 1;
    this.#request.bytesBefore = this.#request.socket?.bytesRead ?? 0;
    this.#reading.paused = false;
    if (handler.onRequestStart) throw new TypeError('requests with a response body must be sent through limitedPool');
    return super.dispatch(options, new PausableResponse(handler, this.#reading));
  }
}

/**
 * Makes a socket pausable: while `reading.paused` is true, nothing is read from it. The kernel buffer then fills, so that
 * the server has to wait.
 */
function makePausable(socket: Socket, reading: SocketState): void {
  const read = socket.read.bind(socket);
  reading.socket = socket;
  reading.paused = false;
  socket.read = (size) => (reading.paused && reading.socket === socket ? null : read(size));
}

/**
 * Pauses a response by pausing its socket. Pausing undici's parser is not safe: if the connection ends meanwhile,
 * undici 7 ends the process with an assertion (https://github.com/nodejs/undici/issues/5360).
 *
 * This is undici's older interface of handlers. Pools convert every handler to it before they pass it to a client.
 */
class PausableResponse implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #reading: SocketState;
  #isOver = false;

  constructor(handler: Dispatcher.DispatchHandler, reading: SocketState) {
    this.#handler = handler;
    this.#reading = reading;
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#handler.onConnect?.(abort);
  }

  onBodySent(chunkSize: number, totalBytesSent: number): void {
    this.#handler.onBodySent?.(chunkSize, totalBytesSent);
  }

  onResponseStarted(): void {
    this.#handler.onResponseStarted?.();
  }

  onHeaders(status: number, headers: Buffer[], _resume: () => void, statusText: string): boolean {
    const resume = () => this.#resume();
    return this.#pauseUnless(this.#handler.onHeaders?.(status, headers, resume, statusText));
  }

  onData(chunk: Buffer): boolean {
    return this.#pauseUnless(this.#handler.onData?.(chunk));
  }

  onUpgrade(status: number, headers: Buffer[] | string[] | null, socket: Duplex): void {
    this.#handler.onUpgrade?.(status, headers, socket);
  }

  onComplete(trailers: string[] | null): void {
    this.#end();
    this.#handler.onComplete?.(trailers);
  }

  onError(error: Error): void {
    this.#end();
    this.#handler.onError?.(error);
  }

  /** Pauses the socket if the handler wants no more data for now. Returns true, so that undici does not pause its parser. */
  #pauseUnless(wantsMore: boolean | undefined): true {
    if (wantsMore === false) this.#reading.paused = true;
    return true;
  }

  /** An idle socket must be read, because undici would not notice its end otherwise. Later calls of `resume` are for another response. */
  #end(): void {
    this.#resume();
    this.#isOver = true;
  }

  #resume(): void {
    if (this.#isOver || !this.#reading.paused) return;
    this.#reading.paused = false;
    const { socket } = this.#reading;
    // The event makes undici read again. It is delayed, because undici may be processing a chunk now.
    setImmediate(() => socket?.emit('readable'));
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

/** Creates a pool of `LimitedClient`s. */
export function limitedPool(origin: string | URL, options: LimitedClientOptions & { connections?: number }): Pool {
  const { connections = null, ...ofClient } = options;
  return new Pool(origin, { connections, factory: (url) => new LimitedClient(url, ofClient) });
}
