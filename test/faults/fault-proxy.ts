import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * `lose-answers` discards the bytes of the server, so that its work is done without a response. `silent` discards all bytes, and neither
 * side notices when the other one closes (half-open connection).
 */
export type ProxyMode = 'pass' | 'lose-answers' | 'silent';

/** A TCP proxy on loopback that disturbs connections like an unreliable network. */
export class FaultProxy {
  readonly port: number;
  /** The number of accepted connections and of resets. */
  readonly counts = { connections: 0, resets: 0 };
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #mode: ProxyMode = 'pass';
  #latencyMs = 0;

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (client) => {
      this.counts.connections += 1;
      const link = new Link(client, connect(targetPort, '127.0.0.1'), {
        mode: () => this.#mode,
        latencyMs: () => this.#latencyMs,
        onEnd: () => this.#links.delete(link),
      });
      this.#links.add(link);
    });
  }

  static async start(targetPort: number): Promise<FaultProxy> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultProxy(server, targetPort);
  }

  /** Ends every connection on both sides with RST. */
  reset(): void {
    for (const link of this.#links) {
      this.counts.resets += 1;
      link.reset();
    }
  }

  /** Delays each chunk in both directions from now on. */
  delay(latencyMs: number): void {
    this.#latencyMs = latencyMs;
  }

  /** Sets how the proxy disturbs its connections: those that are open and those that are opened later. */
  become(mode: ProxyMode): void {
    this.#mode = mode;
  }

  /** Returns to normal operation. Connections that have lost bytes are reset. */
  heal(): void {
    const missed = this.#mode !== 'pass';
    this.#mode = 'pass';
    this.#latencyMs = 0;
    if (missed) this.reset();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.reset();
    await once(this.#server, 'close');
  }
}

interface LinkOptions {
  mode: () => ProxyMode;
  latencyMs: () => number;
  onEnd: () => void;
}

/** A connection of one client with its connection to the server. */
class Link {
  readonly #client: Socket;
  readonly #target: Socket;
  readonly #options: LinkOptions;

  constructor(client: Socket, target: Socket, options: LinkOptions) {
    this.#client = client;
    this.#target = target;
    this.#options = options;
    target.setNoDelay(true);
    this.#pass(client, target, ['silent']);
    this.#pass(target, client, ['silent', 'lose-answers']);
  }

  reset(): void {
    this.#client.resetAndDestroy();
    // A socket that is not connected yet cannot send RST.
    if (this.#target.connecting) this.#target.destroy();
    else this.#target.resetAndDestroy();
    this.#options.onEnd();
  }

  #pass(from: Socket, to: Socket, swallowedIn: readonly ProxyMode[]): void {
    const line: { chunk: Buffer | null; due: number }[] = [];
    let timer: NodeJS.Timeout | undefined;
    const flush = () => {
      timer = undefined;
      for (;;) {
        const [first] = line;
        if (!first) return;
        const waitMs = first.due - performance.now();
        if (waitMs > 0) {
          timer = setTimeout(flush, waitMs);
          return;
        }
        line.shift();
        if (to.destroyed) continue;
        if (first.chunk) to.write(first.chunk);
        else to.end();
      }
    };
    /** Chunks keep their order even if the latency decreases. */
    const send = (chunk: Buffer | null) => {
      if (swallowedIn.includes(this.#options.mode())) return;
      line.push({ chunk, due: performance.now() + this.#options.latencyMs() });
      if (!timer) flush();
    };
    from.on('data', (chunk: Buffer) => send(chunk));
    from.on('end', () => send(null));
    from.on('error', () => {
      // A half-open connection: one end is closed and the other end does not notice.
      if (this.#options.mode() === 'pass') this.reset();
    });
    from.on('close', () => {
      if (to.destroyed) this.#options.onEnd();
    });
  }
}
