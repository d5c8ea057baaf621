import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
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

/** Whether the socket of a client is read at present. */
interface Reading {
  held: boolean;
  socket: Socket | null;
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
  readonly #reading: Reading;

  constructor(origin: string | URL, { connect, counter, maxReceivedBytes, ...options }: LimitedClientOptions) {
    const request: CurrentRequest = { connections: 0, socket: null, bytesBefore: 0 };
    const reading: Reading = { held: false, socket: null };
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
          holdable(socket, reading);
          if (maxReceivedBytes !== undefined) limitBytes(socket, maxReceivedBytes, request);
          callback(null, socket);
        });
      },
    });
    this.#request = request;
    this.#reading = reading;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#request.connections = 1;
    this.#request.bytesBefore = this.#request.socket?.bytesRead ?? 0;
    this.#reading.held = false;
    // Undici's own methods bring handlers of its older interface, such as that of a tunnel, which has no body to pause.
    return super.dispatch(options, handler.onRequestStart ? new HeldResponse(handler, this.#reading) : handler);
  }
}

/**
 * While it is held, nothing is read from the socket, so its kernel buffer fills and the server has to wait. The end of the
 * stream waits as well.
 */
function holdable(socket: Socket, reading: Reading): void {
  const read = socket.read.bind(socket);
  reading.socket = socket;
  reading.held = false;
  socket.read = (size) => (reading.held && reading.socket === socket ? null : read(size));
}

/**
 * Pauses a response by holding its socket instead of pausing undici's parser. Undici 7 ends the process with an assertion that
 * nobody can catch when a connection ends while its parser is paused (https://github.com/nodejs/undici/issues/5360).
 */
class HeldResponse implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #reading: Reading;
  #controller: Dispatcher.DispatchController | null = null;

  constructor(handler: Dispatcher.DispatchHandler, reading: Reading) {
    this.#handler = handler;
    this.#reading = reading;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#handler.onRequestStart?.(this.#held(controller), context);
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[]>,
    socket: Duplex,
  ): void {
    this.#handler.onRequestUpgrade?.(this.#held(controller), status, headers, socket);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[]>,
    statusMessage?: string,
  ): void {
    this.#handler.onResponseStart?.(this.#held(controller), status, headers, statusMessage);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#handler.onResponseData?.(this.#held(controller), chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: Record<string, string | string[]>): void {
    this.#handler.onResponseEnd?.(this.#held(controller), trailers);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#handler.onResponseError?.(this.#held(controller), error);
  }

  #held(controller: Dispatcher.DispatchController): Dispatcher.DispatchController {
    this.#controller ??= new HeldController(controller, this.#reading);
    return this.#controller;
  }
}

class HeldController implements Dispatcher.DispatchController {
  readonly #controller: Dispatcher.DispatchController;
  readonly #reading: Reading;

  constructor(controller: Dispatcher.DispatchController, reading: Reading) {
    this.#controller = controller;
    this.#reading = reading;
  }

  get aborted(): boolean {
    return this.#controller.aborted;
  }

  get paused(): boolean {
    return this.#reading.held;
  }

  get reason(): Error | null {
    return this.#controller.reason;
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  pause(): void {
    this.#reading.held = true;
  }

  resume(): void {
    if (!this.#reading.held) return;
    this.#reading.held = false;
    const { socket } = this.#reading;
    // Undici reads when it hears this. Not at once: it may be in the middle of a chunk.
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

/** A pool of `LimitedClient`s. */
export function limitedPool(origin: string | URL, options: LimitedClientOptions & { connections?: number }): Pool {
  const { connections = null, ...ofClient } = options;
  return new Pool(origin, { connections, factory: (url) => new LimitedClient(url, ofClient) });
}
