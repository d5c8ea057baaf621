import { connect, createServer, type Socket } from 'node:net';
import { Server as ProxyServer } from 'proxy-chain';
import { atEnd } from '../support/at-end.ts';
import { close, listen as listenOn } from '../support/listen.ts';

/** A forward proxy on loopback with a password, which ends with the test. It records all bytes that it receives. */
export interface ForwardProxy {
  /** The URL without credentials. */
  readonly origin: string;
  /** `host:port`. */
  readonly name: string;
  readonly user: string;
  readonly password: string;
  /** The URL with credentials, as a caller writes it. */
  readonly url: string;
  /** The targets of its tunnels in order, without refused ones. */
  readonly tunnels: string[];
  /** Returns all bytes that it received, including tunnelled bytes. */
  heard(): string;
  /** Returns the number of open connections. */
  open(): number;
  /** Returns the number of connections that were accepted so far. */
  accepted(): number;
  /** Breaks all connections and continues to listen. */
  breakAll(): void;
  /** Breaks all connections and stops. */
  stop(): Promise<void>;
}

export async function startForwardProxy({
  user = 'user',
  password = 'hunter2',
  tls,
}: {
  user?: string;
  password?: string;
  tls?: { key: string; cert: string };
} = {}): Promise<ForwardProxy> {
  const tunnels: string[] = [];
  const proxy = new ProxyServer({
    port: 0,
    host: '127.0.0.1',
    ...(tls ? { serverType: 'https' as const, httpsOptions: tls } : { serverType: 'http' as const }),
    prepareRequestFunction: (request) => {
      if (request.username !== user || request.password !== password) return { requestAuthentication: true };
      tunnels.push(`${request.isHttp ? 'not a tunnel: ' : ''}${request.hostname}:${request.port}`);
      return {};
    },
  });
  await proxy.listen();
  atEnd(() => proxy.close(true));
  const ear = await listen((socket, heard) => {
    const behind = connect(proxy.port, '127.0.0.1');
    behind.on('error', () => socket.destroy());
    behind.on('close', () => socket.destroy());
    socket.on('close', () => behind.destroy());
    socket.on('data', heard);
    socket.pipe(behind).pipe(socket);
  });
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  const scheme = tls ? 'https' : 'http';
  return {
    ...ear,
    origin: `${scheme}://${ear.name}`,
    url: `${scheme}://${credentials}@${ear.name}`,
    user,
    password,
    tunnels,
  };
}

/** Starts a server that calls `behave` for each connection in place of a proxy. */
export function startFakeProxy(behave: (socket: Socket, request: string) => void) {
  return listen((socket, heard) => {
    let request = '';
    const read = (chunk: Buffer) => {
      heard(chunk);
      request += chunk.toString('latin1');
      if (!request.includes('\r\n\r\n')) return;
      socket.off('data', read);
      socket.on('data', heard);
      behave(socket, request);
    };
    socket.on('data', read);
  });
}

/** Returns a port on which no server listens. */
export async function deadPort(): Promise<string> {
  const { name, stop } = await listen(() => {});
  await stop();
  return name;
}

/** Starts a server, which ends with the test. */
export async function listen(onSocket: (socket: Socket, heard: (chunk: Buffer) => void) => void) {
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    onSocket(socket, (chunk) => void chunks.push(chunk));
  });
  const name = `127.0.0.1:${await listenOn(server)}`;
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const stop = async () => {
    const closed = close(server);
    breakAll();
    await closed;
  };
  atEnd(stop);
  return {
    name,
    heard: () => Buffer.concat(chunks).toString('latin1'),
    open: () => sockets.size,
    accepted: () => accepted,
    breakAll,
    stop,
  };
}

/** Writes the text to the socket again and again. */
export function flood(socket: Socket, text: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(text.repeat(100)));
    if (!socket.destroyed) socket.once('drain', more);
  };
  more();
}
