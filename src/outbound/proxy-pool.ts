import { createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Dispatcher, Pool } from 'undici';
import type { Timer } from '../shared/runtime/runtime.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { OutgoingConnections } from './connection-limiter.ts';
import { type Connector, limitedPool } from './limited-client.ts';
import { limitExchanges } from './limited-exchange.ts';
import type { ForwardProxy } from './proxy.ts';
import { tlsConnector } from './tls.ts';
import { TunnelDialer, type TunnelOptions } from './tunnel.ts';

export interface ProxyPoolOptions extends Omit<TunnelOptions, 'counter'> {
  connections?: OutgoingConnections;
  /**
   * The size limit of responses from the operator's target. Code that contacts targets chosen by callers must apply its
   * own limits.
   */
  maxResponseBytes: number;
  /** The maximum number of kept pools. Above it, the least recently used ones are closed. */
  maxPools?: number;
  /** The time after which an unused pool is closed. */
  idleMs?: number;
}

/** The target of a call through a proxy. */
export interface ProxyTarget {
  /** The scheme, host and port of the target. */
  origin: string;
  /**
   * Who chose the target. For the `operator`, the proxy gets the name of the target. For a `caller`, the guard resolves
   * and checks the name before each connection, and the proxy gets the checked addresses one by one, because it could
   * resolve the name to another one. A refused target fails with `AddressRefusedError` or `NameNotFoundError`.
   */
  chosenBy: 'operator' | 'caller';
}

export interface ProxyLease {
  /**
   * Sends requests to the target through the proxy. Failures before the tunnel is open are `PosternError`s. A request
   * waits if too many others use the same proxy.
   */
  readonly dispatcher: Dispatcher;
  /**
   * The circuit breaker of this proxy, credentials and target. The sender reports the outcome of each request to it.
   */
  readonly breaker: CircuitBreaker;
  /** Ends the lease. Call it once, when the response was read or the request was abandoned. */
  release(): void;
}

/** The limit of bytes received from a target chosen by a caller. The largest such file is a video of 512 MiB. */
export const maxReceivedBytes = 1024 ** 3;
/** The additional limit for headers and trailers. */
const headBytes = 64 * 1024;

const defaults = { maxPools: 256, idleMs: 60_000 };

interface Kept {
  readonly pool: Pool;
  /** The pool, wrapped with its limits. */
  readonly dispatcher: Dispatcher;
  readonly breaker: CircuitBreaker;
  readonly key: string;
  calls: number;
  idle: Timer | null;
}

/**
 * Keeps connections through callers' proxies alive between calls. Connections are never shared between proxies, or
 * between different credentials for one proxy. All requests go through the proxy.
 */
export class ProxyPool {
  readonly #options: Omit<ProxyPoolOptions, 'connections'> & typeof defaults;
  readonly #limiter: OutgoingConnections['proxy'];
  readonly #dialer: TunnelDialer;
  readonly #startTls: ReturnType<typeof tlsConnector>;
  /**
   * The key of an HMAC over credentials. It is random and in memory only, so that passwords cannot be guessed from the
   * map keys in a heap dump.
   */
  readonly #hmacKey: Buffer;
  /** The pools that further calls can use. An evicted pool that is in use is closed when its last call ends. */
  readonly #kept: LRUCache<string, Kept>;
  readonly #open = new Set<Pool>();

  constructor({ connections = new OutgoingConnections(), ...options }: ProxyPoolOptions) {
    this.#options = { ...defaults, ...options };
    this.#limiter = connections.proxy;
    this.#dialer = new TunnelDialer({ ...options, counter: this.#limiter });
    this.#startTls = tlsConnector(options.timeoutMs);
    this.#hmacKey = options.runtime.randomBytes(32);
    this.#kept = new LRUCache({
      max: this.#options.maxPools,
      dispose: ({ idle, calls, pool }) => {
        idle?.cancel();
        if (calls === 0) this.#closePool(pool);
      },
    });
  }

  /** The number of pools, in use or kept. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Returns a lease for a proxy and target. Throws `platform_unavailable` while the circuit breaker of the operator's
   * target is open.
   */
  lease(proxy: ForwardProxy, target: ProxyTarget): ProxyLease {
    const key = this.#keyOf(proxy, target);
    const kept = this.#kept.get(key) ?? this.#openPool(proxy, target, key);
    kept.breaker.enter();
    kept.calls += 1;
    kept.idle?.cancel();
    kept.idle = null;
    this.#kept.set(key, kept);
    return { dispatcher: kept.dispatcher, breaker: kept.breaker, release: () => this.#release(kept) };
  }

  /** Closes all connections, including those of running requests. */
  async close(): Promise<void> {
    const open = [...this.#open];
    this.#kept.clear();
    this.#dialer.close();
    await Promise.all(open.map((pool) => pool.destroy()));
    this.#open.clear();
  }

  #release(kept: Kept): void {
    kept.calls -= 1;
    if (kept.calls > 0) return;
    if (this.#kept.peek(kept.key) !== kept) {
      this.#closePool(kept.pool);
      return;
    }
    kept.idle = this.#options.runtime.after(this.#options.idleMs, () => void this.#kept.delete(kept.key));
  }

  #openPool(proxy: ForwardProxy, target: ProxyTarget, key: string): Kept {
    const pool = limitedPool(target.origin, {
      connections: this.#limiter.limits.perHost,
      connect: this.#connector(proxy, target.chosenBy === 'caller'),
      maxResponseSize: target.chosenBy === 'caller' ? -1 : this.#options.maxResponseBytes,
      maxReceivedBytes:
        target.chosenBy === 'caller' ? maxReceivedBytes : 2 * this.#options.maxResponseBytes + headBytes,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#open.add(pool);
    const dispatcher = pool.compose(limitExchanges(this.#limiter, () => proxy.name));
    const message = `Ten calls in a row failed through the proxy ${proxy.name}; it is tried again every second`;
    const breaker = new CircuitBreaker(this.#options.runtime, 'proxy_paused', message);
    return { pool, dispatcher, breaker, key, calls: 0, idle: null };
  }

  #closePool(pool: Pool): void {
    this.#open.delete(pool);
    // No request is running, so `destroy` closes only idle connections and connections that an aborted request had
    // started to open.
    void pool.destroy();
  }

  #connector(proxy: ForwardProxy, isChecked: boolean): Connector {
    const dial = async ({ hostname, port, protocol, account }: Parameters<Connector>[0]) => {
      const hosts = isChecked
        ? (await this.#options.guard.resolve(hostname, account)).map(({ address }) => address)
        : [hostname];
      const targetPort = port || (protocol === 'https:' ? 443 : 80);
      const authorities = hosts.map((host) => `${host.includes(':') ? `[${host}]` : host}:${targetPort}`);
      const name = isChecked ? hostname : 'the platform';
      return (await this.#dialer.dial(proxy, authorities, name, account)) as Socket;
    };
    return (target, callback) => {
      const stands = (httpSocket: Socket) => {
        if (target.protocol === 'https:') this.#startTls({ ...target, httpSocket }, callback);
        else callback(null, httpSocket);
      };
      dial(target).then(stands, (error) => callback(error, null));
    };
  }

  #keyOf({ origin, authorization }: ForwardProxy, target: ProxyTarget): string {
    const parts = [origin, authorization?.expose() ?? null, target.origin, target.chosenBy];
    return createHmac('sha256', this.#hmacKey).update(JSON.stringify(parts)).digest('base64');
  }
}
