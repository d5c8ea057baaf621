import { createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import { buildConnector, type Dispatcher, type Pool } from 'undici';
import type { Timer } from '../shared/runtime/runtime.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { OutgoingConnections } from './connection-limiter.ts';
import { limitedPool } from './limited-client.ts';
import { limitExchanges } from './limited-exchange.ts';
import type { ForwardProxy } from './proxy.ts';
import { TunnelDialer, type TunnelOptions } from './tunnel.ts';

export interface ProxyPoolOptions extends Omit<TunnelOptions, 'counter'> {
  connections?: OutgoingConnections;
  /** Of answers of the operator's target. Who lets a caller choose one reads it with limits of its own. */
  maxResponseBytes: number;
  /** How many pairs of proxy and target are kept; beyond it the longest unused ones are closed. */
  maxKept?: number;
  /** How long one that is unused is kept. */
  idleMs?: number;
}

/** Where a call goes through its proxy, and whose choice that is. */
export interface ProxyTarget {
  /** Scheme, host and port. */
  origin: string;
  /**
   * A target of the `operator` (the platform) is named to the proxy as it stands. One of a `caller` passes the guard
   * before each connection, and the proxy is told the address that was checked, not the name, which it could resolve
   * to another; a refusal comes out as `AddressRefusedError` or `NameNotFoundError`.
   */
  chosenBy: 'operator' | 'caller';
}

export interface ProxyLease {
  /**
   * Sends to the target only, through the proxy only. Its faults before the tunnel stands are `PosternError`s. A request
   * waits while too many others go through this proxy, whatever their target and credentials.
   */
  readonly dispatcher: Dispatcher;
  /** Of this proxy with these credentials and this target. The sender reports the outcome of each request. */
  readonly breaker: CircuitBreaker;
  /** To be called once, when the answer has been read or given up. */
  release(): void;
}

/** For a target of a caller. Video is the largest thing that is fetched, up to 512 MiB. */
export const maxReceivedBytes = 1024 ** 3;
/** For headers and trailers, beside the body. */
const headBytes = 64 * 1024;

const defaults = { maxKept: 256, idleMs: 60_000 };

interface Kept {
  readonly pool: Pool;
  /** The pool with its limits. */
  readonly dispatcher: Dispatcher;
  readonly breaker: CircuitBreaker;
  readonly key: string;
  calls: number;
  idle: Timer | null;
}

/**
 * Connections through callers' proxies, kept alive between calls. Two proxies never share one, nor do two passwords for
 * one proxy; there is no way in here that leads around the proxy.
 */
export class ProxyPool {
  readonly #options: Omit<ProxyPoolOptions, 'connections'> & typeof defaults;
  readonly #limiter: OutgoingConnections['proxy'];
  readonly #dialer: TunnelDialer;
  readonly #startTls: buildConnector.connector;
  /** In memory only, so that no password can be guessed from a key that ends up in a heap dump. */
  readonly #hmacKey: Buffer;
  /** The longest unused first. */
  readonly #kept = new Map<string, Kept>();
  readonly #open = new Set<Pool>();

  constructor({ connections = new OutgoingConnections(), ...options }: ProxyPoolOptions) {
    this.#options = { ...defaults, ...options };
    this.#limiter = connections.proxy;
    this.#dialer = new TunnelDialer({ ...options, counter: this.#limiter });
    this.#startTls = buildConnector({ timeout: options.timeoutMs });
    this.#hmacKey = options.runtime.randomBytes(32);
  }

  /** How many pairs of proxy and target are open, in use or kept. */
  get size(): number {
    return this.#open.size;
  }

  /** Throws `platform_unavailable` for a while after too many failures of the operator's target in a row. */
  lease(proxy: ForwardProxy, target: ProxyTarget): ProxyLease {
    const key = this.#keyOf(proxy, target);
    const kept = this.#kept.get(key) ?? this.#openPool(proxy, target, key);
    kept.breaker.enter();
    kept.calls += 1;
    kept.idle?.cancel();
    kept.idle = null;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    this.#evict();
    return { dispatcher: kept.dispatcher, breaker: kept.breaker, release: () => this.#release(kept) };
  }

  /** Breaks what is still in flight. */
  async close(): Promise<void> {
    for (const { idle } of this.#kept.values()) idle?.cancel();
    this.#kept.clear();
    this.#dialer.close();
    await Promise.all([...this.#open].map((pool) => pool.destroy()));
    this.#open.clear();
  }

  #release(kept: Kept): void {
    kept.calls -= 1;
    if (kept.calls > 0) return;
    if (this.#kept.get(kept.key) !== kept) {
      this.#closePool(kept.pool);
      return;
    }
    kept.idle = this.#options.runtime.after(this.#options.idleMs, () => {
      this.#kept.delete(kept.key);
      this.#closePool(kept.pool);
    });
  }

  /** One that is in use leaves at once and is closed by its last call. */
  #evict(): void {
    const [oldest] = this.#kept.size > this.#options.maxKept ? this.#kept.values() : [];
    if (!oldest) return;
    this.#kept.delete(oldest.key);
    oldest.idle?.cancel();
    if (oldest.calls === 0) this.#closePool(oldest.pool);
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
    // Nothing is in flight: this ends idle connections, and one that a caller who hung up had asked for.
    void pool.destroy();
  }

  #connector(proxy: ForwardProxy, isChecked: boolean): buildConnector.connector {
    const dial = async ({ hostname, port, protocol }: buildConnector.Options) => {
      const host = isChecked ? (await this.#options.guard.resolve(hostname)).address : hostname;
      const authority = `${host.includes(':') ? `[${host}]` : host}:${port || (protocol === 'https:' ? 443 : 80)}`;
      return (await this.#dialer.dial(proxy, authority, isChecked ? hostname : 'the platform')) as Socket;
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
