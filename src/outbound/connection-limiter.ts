import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Exchanges with one host at a time. */
  perHost: number;
  /** Exchanges with all hosts at a time. */
  total: number;
}

/** The account that pays for an exchange, and its host. */
export interface ExchangeOwner {
  account: string;
  host: string;
}

/** Slots of one host, or of all hosts, by the account that holds them. */
interface Slots {
  active: number;
  readonly ofAccount: Map<string, number>;
}

interface Host extends Slots {
  waiting: number;
}

/**
 * Limits the exchanges (one request and its response) that run at a time, for each host and for all hosts together.
 * An exchange needs one connection at most.
 *
 * An account may begin an exchange only while it holds fewer slots of the host than are free, and less than a third of
 * the free slots of all hosts (dynamic thresholds: Choudhury and Hahne, 1998). Alone it gets half of a host and a quarter
 * of the total, and n accounts leave a host at least one slot in n + 1 once their first exchanges have ended. A newcomer
 * therefore starts at once although a few others use all that they may. Exchanges beyond that wait: accounts take
 * turns, then the hosts of an account do, then its exchanges go in order of arrival.
 */
export class ConnectionLimiter {
  readonly limits: ConnectionLimits;
  readonly #hosts = new Map<string, Host>();
  readonly #all: Slots = { active: 0, ofAccount: new Map() };
  /** By account and host; the account, and its host, whose turn is next come first. */
  readonly #waiting = new Map<string, Map<string, Set<() => void>>>();
  #isServing = false;
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
    owner: ExchangeOwner,
    signal: AbortSignal | undefined,
    begin: (leave: () => void) => void,
    refuse: (reason: unknown) => void,
  ): void {
    if (signal?.aborted) {
      refuse(signal.reason);
      return;
    }
    if (!this.#hosts.has(owner.host)) this.#hosts.set(owner.host, { active: 0, ofAccount: new Map(), waiting: 0 });
    if (this.#mayUseAnyHost(owner.account) && this.#mayUse(owner)) {
      this.#start(owner, begin);
      return;
    }
    const giveUp = () => {
      this.#unqueue(owner, waiter);
      this.#forgetUnused(owner.host);
      refuse(signal?.reason);
    };
    const waiter = () => {
      signal?.removeEventListener('abort', giveUp);
      // If one abort ends several exchanges, a slot can become free before `giveUp` of this one has run.
      if (signal?.aborted) refuse(signal.reason);
      else this.#start(owner, begin);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#queue(owner, waiter);
  }

  /** Counts a socket until it closes. */
  count(socket: Pick<Socket, 'once'>): void {
    this.#open += 1;
    socket.once('close', () => {
      this.#open -= 1;
    });
  }

  #start(owner: ExchangeOwner, begin: (leave: () => void) => void): void {
    this.#add(owner, 1);
    let over = false;
    begin(() => {
      if (over) return;
      over = true;
      this.#add(owner, -1);
      this.#serve();
      this.#forgetUnused(owner.host);
    });
  }

  /** Starts the exchanges that wait and may run now. One that ends while it is started leaves its slot to this loop. */
  #serve(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      for (let next = this.#next(); next; next = this.#next()) {
        const { owner, waiter } = next;
        this.#unqueue(owner, waiter);
        this.#passTurn(owner);
        waiter();
        this.#forgetUnused(owner.host);
      }
    } finally {
      this.#isServing = false;
    }
  }

  /**
   * Few hosts are looked at: an account below its threshold of the total is held up only at hosts that are at least half
   * in use.
   */
  #next(): { owner: ExchangeOwner; waiter: () => void } | undefined {
    if (this.#all.active >= this.limits.total) return undefined;
    for (const [account, hosts] of this.#waiting) {
      if (!this.#mayUseAnyHost(account)) continue;
      for (const [host, [waiter]] of hosts) {
        const owner = { account, host };
        if (waiter && this.#mayUse(owner)) return { owner, waiter };
      }
    }
    return undefined;
  }

  #mayUseAnyHost(account: string): boolean {
    const own = this.#all.ofAccount.get(account) ?? 0;
    return 3 * own < this.limits.total - this.#all.active;
  }

  #mayUse({ account, host }: ExchangeOwner): boolean {
    const slots = this.#hosts.get(host);
    return (slots?.ofAccount.get(account) ?? 0) < this.limits.perHost - (slots?.active ?? 0);
  }

  #add({ account, host }: ExchangeOwner, change: 1 | -1): void {
    for (const slots of [this.#all, this.#hosts.get(host)]) {
      if (!slots) continue;
      slots.active += change;
      const own = (slots.ofAccount.get(account) ?? 0) + change;
      if (own > 0) slots.ofAccount.set(account, own);
      else slots.ofAccount.delete(account);
    }
  }

  #queue({ account, host }: ExchangeOwner, waiter: () => void): void {
    const hosts = this.#waiting.get(account) ?? new Map<string, Set<() => void>>();
    this.#waiting.set(account, hosts);
    hosts.set(host, (hosts.get(host) ?? new Set()).add(waiter));
    this.#countWaiting(host, 1);
  }

  #unqueue({ account, host }: ExchangeOwner, waiter: () => void): void {
    const hosts = this.#waiting.get(account);
    const queue = hosts?.get(host);
    if (!hosts || !queue?.delete(waiter)) return;
    if (queue.size === 0) hosts.delete(host);
    if (hosts.size === 0) this.#waiting.delete(account);
    this.#countWaiting(host, -1);
  }

  /** The account, and its host, come behind the others. */
  #passTurn({ account, host }: ExchangeOwner): void {
    const hosts = this.#waiting.get(account);
    if (!hosts) return;
    moveToEnd(this.#waiting, account);
    moveToEnd(hosts, host);
  }

  #countWaiting(host: string, change: 1 | -1): void {
    const slots = this.#hosts.get(host);
    if (slots) slots.waiting += change;
  }

  #forgetUnused(host: string): void {
    const slots = this.#hosts.get(host);
    if (slots?.active === 0 && slots.waiting === 0) this.#hosts.delete(host);
  }
}

function moveToEnd<Value>(map: Map<string, Value>, key: string): void {
  const value = map.get(key);
  if (value !== undefined && map.delete(key)) map.set(key, value);
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
