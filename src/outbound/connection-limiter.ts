import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** The maximum number of simultaneous exchanges with one host. */
  perHost: number;
  /** The maximum number of simultaneous exchanges with all hosts. */
  total: number;
}

/** The account that is charged for an exchange, and the host that it contacts. */
export interface ExchangeOwner {
  account: string;
  host: string;
}

/** Counts the used slots of one host, or of all hosts, by account. */
interface Slots {
  active: number;
  readonly ofAccount: Map<string, number>;
}

interface Host extends Slots {
  waiting: number;
}

/**
 * Limits the number of simultaneous exchanges (a request and its response) per host and in total. An
 * exchange opens up to four connections while it connects (through a proxy, four tunnels), and then uses one.
 *
 * An account may start an exchange only if it holds fewer slots of the host than are free, and less than a third of the
 * free slots of all hosts (dynamic thresholds: Choudhury and Hahne, 1998). A single account can therefore use half of
 * the slots of a host and a quarter of the total. With n accounts, one slot in n + 1 stays free at each host, so that a
 * new account can start at once. Other exchanges wait. Waiting accounts take turns, then the hosts of an account take
 * turns, and the exchanges with a host run in order of arrival.
 */
export class ConnectionLimiter {
  readonly limits: ConnectionLimits;
  readonly #hosts = new Map<string, Host>();
  readonly #all: Slots = { active: 0, ofAccount: new Map() };
  /**
   * Waiting exchanges by account and host. Both maps are ordered by turn: the next account and its next host come
   * first.
   */
  readonly #waiting = new Map<string, Map<string, Set<() => void>>>();
  #isServing = false;
  #open = 0;

  constructor(limits: ConnectionLimits) {
    this.limits = limits;
  }

  /** The number of open sockets, including idle ones. */
  get open(): number {
    return this.#open;
  }

  /** The number of hosts with a running or waiting exchange. */
  get hosts(): number {
    return this.#hosts.size;
  }

  /** True if so many sockets are open that no connection should be kept alive. */
  get crowded(): boolean {
    return this.#open >= this.limits.total;
  }

  /**
   * Calls `begin` as soon as a slot is free, possibly before this method returns. Call `leave` when the exchange has
   * ended. Repeated calls of `leave` have no effect. If `signal` is aborted before that, `refuse` is called with the
   * reason.
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
      // One abort can end several exchanges. Ending the first may free a slot before this exchange has handled the
      // abort.
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

  /**
   * Starts all waiting exchanges that may run. An exchange that ends while this loop starts it frees its slot for the
   * same loop.
   */
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
   * Finds the next exchange that may start. The search is short, because an account below its total limit has to wait
   * only at hosts whose slots are at least half used.
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

  /** Moves the account and its host to the end of the order. */
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
 * The connection limiters of this process, one for each purpose. The limits are far above normal use. They protect
 * single hosts, and the memory and file descriptors of this process, from overload.
 */
export class OutgoingConnections {
  /** Limits webhook deliveries and handshakes, per host name of the receiver. */
  readonly receiver = new ConnectionLimiter({ perHost: 128, total: 1_024 });
  /** Limits downloads of media, per host name. The total equals the limit of media files. */
  readonly media = new ConnectionLimiter({ perHost: 128, total: 1_000 });
  /**
   * Limits calls through callers' proxies, per host and port of the proxy. The limit is higher, because a proxy
   * provider serves many users from one host.
   */
  readonly proxy = new ConnectionLimiter({ perHost: 512, total: 2_048 });
  /** Limits calls to servers that callers' accounts name, such as the data servers of the AT Protocol, per host name. */
  readonly accountServers = new ConnectionLimiter({ perHost: 128, total: 1_024 });
  /** Counts direct connections to the platform. They need no limit, because the operator chose the platform. */
  readonly platform = new ConnectionLimiter({ perHost: 128, total: 128 });

  /** The number of open sockets for each purpose, including idle ones. */
  get open(): Record<'receiver' | 'media' | 'proxy' | 'account_server' | 'platform', number> {
    return {
      receiver: this.receiver.open,
      media: this.media.open,
      proxy: this.proxy.open,
      account_server: this.accountServers.open,
      platform: this.platform.open,
    };
  }
}
