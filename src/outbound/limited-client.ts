import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type buildConnector, Client, type Dispatcher, Pool } from 'undici';
import type { ConnectionLimiter } from './connection-limiter.ts';
import { ConnectionLostError, ServerMisbehavedError } from './errors.ts';
import type { LimitedDispatchOptions } from './limited-exchange.ts';
import { mayParse } from './parsing-turns.ts';

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

/** The socket of a client and its current request. */
interface Reading {
  /** The API account of the request; empty if there is none. */
  account: string;
  /** The number of connections that the request may still open. */
  connections: number;
  /** The latest socket; `null` after an upgrade. */
  socket: Socket | null;
  /** True from the start of the request to the end of its response. */
  isRunning: boolean;
  /** True while the socket is not read. */
  paused: boolean;
  hasFinalHead: boolean;
  /** The number of bytes read for the request. */
  bytes: number;
  /** The number of bytes read since the last head or the last bytes of a body. */
  overhead: number;
}

/** The maximum length of a head, of trailers, and of chunk extensions between two pieces of a body. */
const maxHeadBytes = 16 * 1024;
/** The maximum length of a head and of all informational responses before it. */
const maxHeadsBytes = 32 * 1024;
/**
 * The number of bytes that undici parses at once. A limit can be exceeded by this number of bytes. A download of 100 MiB
 * takes 0.1 s of processor time, and 0.06 s in parts of 64 KiB.
 */
const partBytes = 4 * 1024;
/**
 * A limit that is never reached, because `maxHeadBytes` is lower. When undici's own limit is reached, undici creates an
 * error for each further header of the data that it parses, which takes 200 ms for 64 KiB.
 */
const maxHeaderSize = 64 * 1024;

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
  readonly #reading: Reading;

  constructor(origin: string | URL, { connect, counter, maxReceivedBytes, ...options }: LimitedClientOptions) {
    const reading: Reading = { account: '', connections: 0, socket: null, isRunning: false, ...unread };
    super(origin, {
      keepAliveMaxTimeout,
      maxHeaderSize,
      ...options,
      connect: (target, callback) => {
        // undici does not support a callback that runs before this function returns.
        if (reading.connections === 0) return queueMicrotask(() => callback(new ConnectionLostError(), null));
        reading.connections -= 1;
        connect({ ...target, account: reading.account }, (...[error, socket]) => {
          if (error) return callback(error, null);
          counter?.count(socket);
          limitReads(socket, reading, maxReceivedBytes);
          callback(null, socket);
        });
      },
    });
    this.#reading = reading;
  }

  override dispatch(options: LimitedDispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    Object.assign(this.#reading, unread, { account: options.account ?? '', connections: 1 });
    if (handler.onRequestStart) throw new TypeError('requests with a response body must be sent through limitedPool');
    return super.dispatch(options, new PausableResponse(handler, this.#reading));
  }
}

/** The state of a request whose response has not begun. */
const unread = { paused: false, hasFinalHead: false, bytes: 0, overhead: 0 };

/**
 * Limits what undici reads from a socket. While `reading.paused` is true, nothing is read. The kernel buffer then fills,
 * so that the server has to wait. Bytes are counted before undici parses them.
 */
function limitReads(socket: Socket, reading: Reading, maxReceivedBytes = Number.POSITIVE_INFINITY): void {
  const read = socket.read.bind(socket);
  const readPart = (): Buffer | null => {
    const part: Buffer | null = socket.readableLength > partBytes ? read(partBytes) : read();
    reading.bytes += part?.length ?? 0;
    reading.overhead += part?.length ?? 0;
    return part;
  };
  const excess = () => {
    if (reading.bytes > maxReceivedBytes) return `sends more than ${maxReceivedBytes} bytes`;
    const isTooLong = reading.overhead > maxHeadBytes || (!reading.hasFinalHead && reading.bytes > maxHeadsBytes);
    return isTooLong ? 'sends headers, trailers or chunk extensions that are too long' : null;
  };
  reading.socket = socket;
  reading.paused = false;
  socket.read = (size) => {
    // Node itself calls `read(0)`.
    if (reading.socket !== socket || size !== undefined) return read(size);
    // undici would parse the rest of the data even after it has destroyed the socket.
    if (reading.paused || socket.destroyed) return null;
    // Data of an idle connection is read at once, before the next request, because undici closes the connection then.
    if (!reading.isRunning) return readPart();
    const why = excess();
    if (why !== null) socket.destroy(new ServerMisbehavedError(why));
    return why === null && mayParse(socket) ? readPart() : null;
  };
}

/**
 * Pauses a response by pausing its socket. Pausing undici's parser is not safe: if the connection ends meanwhile,
 * undici 7 ends the process with an assertion (https://github.com/nodejs/undici/issues/5360).
 *
 * This is undici's older interface of handlers. Pools convert every handler to it before they pass it to a client.
 */
class PausableResponse implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #reading: Reading;
  #isOver = false;

  constructor(handler: Dispatcher.DispatchHandler, reading: Reading) {
    this.#handler = handler;
    this.#reading = reading;
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#reading.isRunning = true;
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
    this.#reading.overhead = 0;
    this.#reading.hasFinalHead = status >= 200;
    return this.#pauseUnless(this.#handler.onHeaders?.(status, headers, resume, statusText));
  }

  onData(chunk: Buffer): boolean {
    this.#reading.overhead = 0;
    return this.#pauseUnless(this.#handler.onData?.(chunk));
  }

  onUpgrade(status: number, headers: Buffer[] | string[] | null, socket: Duplex): void {
    this.#end();
    this.#reading.socket = null;
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
    this.#reading.isRunning = false;
  }

  #resume(): void {
    if (this.#isOver || !this.#reading.paused) return;
    this.#reading.paused = false;
    const { socket } = this.#reading;
    // The event makes undici read again. It is delayed, because undici may be processing a chunk now.
    setImmediate(() => socket?.emit('readable'));
  }
}

/** Creates a pool of `LimitedClient`s. */
export function limitedPool(origin: string | URL, options: LimitedClientOptions & { connections?: number }): Pool {
  const { connections = null, ...ofClient } = options;
  return new Pool(origin, { connections, factory: (url) => new LimitedClient(url, ofClient) });
}
