import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { writeDemoFile } from '../api/demo/demo.ts';
import { welcomeText } from '../api/demo/welcome.ts';
import { answerUnreadableRequests } from '../api/server/http-errors.ts';
import { UnreadResponses } from '../api/server/unread-responses.ts';
import type { Config } from '../shared/config/config.ts';
import { repeat, systemRuntime } from '../shared/runtime/runtime.ts';
import { createApp, type Overrides } from './app.ts';

/** Time for requests in flight after the service was asked to stop. */
const drainMs = 10_000;
const unreadSweepMs = 1_000;

export interface Service {
  /** The address of the service, such as `http://127.0.0.1:4000`. */
  readonly origin: string;
  /** The start-up message. */
  readonly welcome: string;
  /** Calls the listener once if a necessary part of the service has died. `stop` still ends the other parts properly. */
  onFailure(listener: (error: Error) => void): void;
  /** Accepts nothing new, waits for requests in flight (10 s at most), writes what is pending, and ends. */
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
  server.maxConnections = config.limits.connections;
  // Node would respond to an unknown expectation without an Envelope. RFC 9110 allows a server to ignore it. Every listener for
  // requests must see the request, because the listeners count responses.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  const runtime = overrides.runtime ?? systemRuntime;
  const traffic = watchTraffic(server);
  const unread = new UnreadResponses(traffic.responses, runtime);
  const sweeping = repeat(runtime, unreadSweepMs, async () => {
    const clients = unread.sweep();
    if (clients > 0) app.logger.info({ clients }, 'disconnected clients that did not read their responses');
  });
  answerUnreadableRequests(server, { runtime, ...app });
  try {
    await listen(server, config);
  } catch (error) {
    sweeping.cancel();
    await app.close();
    throw error;
  }
  const origin = originOf(server, config.host);
  const demo = app.announce(origin);
  const demoPath = writeDemoFile(config.dataDir, demo);
  app.logger.info({ origin }, 'listening');
  return {
    origin,
    welcome: welcomeText(origin, demo, demoPath),
    onFailure: (listener) => app.onFailure(listener),
    stop: async () => {
      app.logger.info('stopping');
      app.endStreams();
      await drain(server, traffic);
      sweeping.cancel();
      await app.close();
      app.logger.info('stopped');
      // Lines are written in batches, and the process is about to end.
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

interface Traffic {
  readonly sockets: ReadonlySet<Socket>;
  readonly responses: ReadonlySet<ServerResponse>;
}

function watchTraffic(server: Server): Traffic {
  const sockets = new Set<Socket>();
  const responses = new Set<ServerResponse>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (_request, response) => {
    responses.add(response);
    response.once('close', () => responses.delete(response));
  });
  return { sockets, responses };
}

async function drain(server: Server, { sockets, responses }: Traffic): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // `close` ends idle connections. A busy connection ends after its response only if the response asks for it.
  const sayClose = (response: ServerResponse) => {
    response.shouldKeepAlive = false;
  };
  for (const response of responses) sayClose(response);
  server.prependListener('request', (_request, response) => sayClose(response));
  const sweeping = setInterval(() => {
    server.closeIdleConnections();
    // For Node a connection without a request so far (browsers keep one ready) is not idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, 50);
  const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweeping);
  clearTimeout(deadline);
}
