import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Exchanges with one host at a time. */
  perHost: number;
  /** Exchanges with all hosts at a time. */
  total: number;
}

interface Host {
  readonly name: string;
  active: number;
  /** In order of arrival. */
  readonly waiting: Set<() => void>;
}

/**
 * Limits the exchanges (one request and its response) that run at a time, for each host and for all hosts together.
 * An exchange needs one connection at most. When the total is reached, hosts take turns, so that one slow host with a
 * long queue does not hold up the others.
 */
export class ConnectionLimiter {
  readonly limits: ConnectionLimits;
  readonly #hosts = new Map<string, Host>();
  /** Hosts below their limit with waiting exchanges. The first one is served next. */
  readonly #ready = new Set<Host>();
  #active = 0;
  #open = 0;

  constructor(limits: ConnectionLimits) {
    this.limits = limits;
  }

  /** Sockets that are open now, idle ones included. */
  get open(): number {
    return this.#open;
  }

  /** Hosts with an exchange that runs or waits. */
  get hosts(): number {
    return this.#hosts.size;
  }

  /** True while there are so many open sockets that none should be kept alive for a later exchange. */
  get crowded(): boolean {
    return this.#open >= this.limits.total;
  }

  /**
   * Calls `begin` once the exchange may start, at once if there is a free slot. `leave` must be called when the exchange
   * is over; further calls of it do nothing. If `signal` is aborted first, `refuse` is called with its reason instead.
   */
  enter(
    name: string,
    signal: AbortSignal | undefined,
    begin: (leave: () => void) => void,
    refuse: (reason: unknown) => void,
  ): void {
    if (signal?.aborted) {
      refuse(signal.reason);
      return;
    }
    const host = this.#hosts.get(name) ?? { name, active: 0, waiting: new Set() };
    this.#hosts.set(name, host);
    const start = () => this.#start(host, begin);
    if (this.#active < this.limits.total && host.active < this.limits.perHost) {
      start();
      return;
    }
    const giveUp = () => {
      host.waiting.delete(waiter);
      this.#update(host);
      refuse(signal?.reason);
    };
    const waiter = () => {
      signal?.removeEventListener('abort', giveUp);
      // If one abort ends several exchanges, a slot can become free before `giveUp` of this one has run.
      if (signal?.aborted) refuse(signal.reason);
      else start();
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    host.waiting.add(waiter);
    this.#update(host);
  }

  /** Counts a socket until it closes. */
  count(socket: Pick<Socket, 'once'>): void {
    this.#open += 1;
    socket.once('close', () => {
      this.#open -= 1;
    });
  }

  #start(host: Host, begin: (leave: () => void) => void): void {
    host.active += 1;
    this.#active += 1;
    let over = false;
    begin(() => {
      if (over) return;
      over = true;
      this.#leave(host);
    });
  }

  #leave(host: Host): void {
    host.active -= 1;
    this.#active -= 1;
    this.#update(host);
    while (this.#active < this.limits.total) {
      const [next] = this.#ready;
      const [waiter] = next?.waiting ?? [];
      if (!next || !waiter) return;
      next.waiting.delete(waiter);
      // The host goes to the end of the line.
      this.#ready.delete(next);
      waiter();
      this.#update(next);
    }
  }

  #update(host: Host): void {
    if (host.waiting.size > 0 && host.active < this.limits.perHost) this.#ready.add(host);
    else this.#ready.delete(host);
    if (host.active === 0 && host.waiting.size === 0) this.#hosts.delete(host.name);
  }
}

/**
 * The outgoing connections of this process, by purpose. The limits are far above ordinary use. They protect a single host, and
 * the memory and file descriptors of this process, from a flood.
 */
export class OutgoingConnections {
  /** Deliveries and handshakes of webhooks, by the receiver's host name. */
  readonly receiver = new ConnectionLimiter({ perHost: 128, total: 1_024 });
  /** Media fetched by URL, by host name. The total is that of media in flight. */
  readonly media = new ConnectionLimiter({ perHost: 128, total: 1_000 });
  /** Calls through proxies of callers, by the proxy's host and port. Providers serve many users from one host. */
  readonly proxy = new ConnectionLimiter({ perHost: 512, total: 2_048 });
  /** To the platform directly. Only counted: the operator's choice of platform needs no protection from callers. */
  readonly platform = new ConnectionLimiter({ perHost: 128, total: 128 });

  /** Sockets that are open now, idle ones included. */
  get open(): Record<'receiver' | 'media' | 'proxy' | 'platform', number> {
    const { receiver, media, proxy, platform } = this;
    return { receiver: receiver.open, media: media.open, proxy: proxy.open, platform: platform.open };
  }
}
