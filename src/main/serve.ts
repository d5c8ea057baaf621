import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { writeDemoFiles } from '../api/demo/demo.ts';
import { plainWelcome, welcomeText } from '../api/demo/welcome.ts';
import { afterClose } from '../api/http/request-locals.ts';
import { answerUnreadableRequests } from '../api/server/http-errors.ts';
import { parseInTurns } from '../api/server/pipelining.ts';
import { UnreadResponses } from '../api/server/unread-responses.ts';
import type { Config } from '../shared/config/config.ts';
import { repeat, systemRuntime } from '../shared/runtime/runtime.ts';
import { createApp, type Overrides } from './app.ts';

/** The time in milliseconds that running requests get to finish when the service stops. */
const drainMs = 10_000;
/** Further connections are closed at once. */
const maxConnections = 10_000;
const unreadSweepMs = 1_000;

export interface Service {
  /** The URL of the service, such as `http://127.0.0.1:4000`. */
  readonly origin: string;
  /** The start-up message. */
  readonly welcome: string;
  /** See `App.warmUp`. */
  warmUp(): Promise<void>;
  /** Calls the listener once if a required part of the service has died. `stop` still stops the other parts in order. */
  onFailure(listener: (error: Error) => void): void;
  /** Refuses new connections, waits for running requests (at most 10 s), writes pending data, and ends. */
  stop(): Promise<void>;
}

/** Starts the whole service and listens. */
export async function serve(config: Config, overrides: Overrides = {}): Promise<Service> {
  const app = await createApp(config, overrides);
  const server = createServer(
    {
      keepAliveTimeout: 65_000,
      requestTimeout: 60_000,
      headersTimeout: 30_000,
      // The interval at which Node checks the two timeouts above.
      connectionsCheckingInterval: 5_000,
      requireHostHeader: false,
    },
    app.handler,
  );
  // Node would drop all headers after the first thousand, without an error: a second `Authorization`, or the `X-Forwarded-For` of a reverse
  // proxy. The limit of 16 KiB for all headers together bounds their number too.
  server.maxHeadersCount = 0;
  // Node would respond to an unknown `Expect` header without an Envelope. RFC 9110 allows a server to ignore the header, so the request is
  // handled normally.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  const runtime = overrides.runtime ?? systemRuntime;
  parseInTurns(server);
  const traffic = new Traffic(server);
  server.maxConnections = overrides.maxConnections ?? maxConnections;
  const unread = new UnreadResponses(traffic, runtime);
  const sweeping = repeat(runtime, unreadSweepMs, async () => {
    const clients = unread.sweep();
    if (clients > 0) app.logger.info({ clients }, 'disconnected clients that did not read their responses');
  });
  answerUnreadableRequests(server, { runtime, ...app, isAnswering: (socket) => traffic.isAnswering(socket) });
  try {
    await listen(server, config);
  } catch (error) {
    sweeping.cancel();
    await app.close();
    throw error;
  }
  const origin = originOf(server, config.host);
  const demo = app.announce(origin);
  app.logger.info({ origin }, 'listening');
  return {
    origin,
    welcome: demo
      ? welcomeText(origin, demo, writeDemoFiles(config.demoDir, demo), config)
      : plainWelcome(origin, config),
    warmUp: () => app.warmUp(),
    onFailure: (listener) => app.onFailure(listener),
    stop: async () => {
      app.logger.info('stopping');
      app.endStreams();
      await drain(server, traffic);
      sweeping.cancel();
      await app.close();
      app.logger.info('stopped');
      // Log lines are buffered, so they must be flushed before the process ends.
      await new Promise<void>((resolve) => app.logger.flush(() => resolve()));
    },
  };
}

function listen(server: Server, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function originOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  // A browser cannot open an address that means "all addresses".
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}

/**
 * The open connections of a server and their open responses. The responses are stored in one array for each connection. One Set of all
 * open responses would also keep ended responses in memory (docs/decisions.md, Speed).
 */
class Traffic implements Iterable<ServerResponse> {
  readonly #responsesOf = new Map<Socket, ServerResponse[]>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#responsesOf.set(socket, []);
      socket.once('close', () => this.#responsesOf.delete(socket));
    });
    server.on('request', (request, response) => {
      const open = this.#responsesOf.get(request.socket);
      if (!open) return;
      open.push(response);
      afterClose(response, () => open.splice(open.indexOf(response), 1));
    });
  }

  get sockets(): Iterable<Socket> {
    return this.#responsesOf.keys();
  }

  /** Returns true if a response was begun, or if a request that was received completely waits for its response. */
  isAnswering(socket: Duplex): boolean {
    const open = this.#responsesOf.get(socket as Socket) ?? [];
    return open.some(({ headersSent, req }) => headersSent || req.complete);
  }

  /** Iterates over the open responses of all connections. */
  *[Symbol.iterator](): IterableIterator<ServerResponse> {
    for (const responses of this.#responsesOf.values()) yield* responses;
  }
}

/** A busy connection ends after its response if the response contains `Connection: close`. */
function closeAfterResponses(server: Server, traffic: Traffic): void {
  const sayClose = (response: ServerResponse) => {
    response.shouldKeepAlive = false;
  };
  for (const response of traffic) sayClose(response);
  server.prependListener('request', (_request, response) => sayClose(response));
}

async function drain(server: Server, traffic: Traffic): Promise<void> {
  // `close` ends idle connections only.
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  closeAfterResponses(server, traffic);
  const sweeping = setInterval(() => {
    server.closeIdleConnections();
    // Connections without a request are ended too. Browsers keep such connections ready, and Node does not treat them as idle.
    for (const socket of traffic.sockets) if (socket.bytesRead === 0) socket.destroy();
  }, 50);
  const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweeping);
  clearTimeout(deadline);
}
