import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Server as ProxyServer } from 'proxy-chain';

/** A real forward proxy on loopback, with a password, and an ear on everything that is sent to it. */
export interface ForwardProxy {
  /** Without credentials. */
  readonly origin: string;
  /** `host:port`. */
  readonly name: string;
  readonly user: string;
  readonly password: string;
  /** As a caller writes it. */
  readonly url: string;
  /** Where its tunnels led, in order; refused ones are not among them. */
  readonly tunnels: string[];
  /** All bytes that came to it, tunnelled ones included. */
  heard(): string;
  /** Connections that are open now. */
  open(): number;
  /** Connections that were ever accepted. */
  accepted(): number;
  /** Breaks all its connections, and goes on listening. */
  breakAll(): void;
  /** Breaks all its connections and ends. */
  stop(): Promise<void>;
}

export interface ForwardProxyOptions {
  user: string;
  password: string;
  tls?: { key: string; cert: string };
}

export async function startForwardProxy({ user, password, tls }: ForwardProxyOptions): Promise<ForwardProxy> {
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
    async stop() {
      await ear.stop();
      await proxy.close(true);
    },
  };
}

/** Something that listens where a proxy should, and does as `behave` says with each connection. */
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

/** A port on which nobody listens. */
export async function deadPort(): Promise<string> {
  const { name, stop } = await listen(() => {});
  await stop();
  return name;
}

export async function listen(onSocket: (socket: Socket, heard: (chunk: Buffer) => void) => void) {
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server: Server = createServer((socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    onSocket(socket, (chunk) => void chunks.push(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    name: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard: () => Buffer.concat(chunks).toString('latin1'),
    open: () => sockets.size,
    accepted: () => accepted,
    breakAll,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        breakAll();
      }),
  };
}
