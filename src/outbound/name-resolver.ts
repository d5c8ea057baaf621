import { getServers } from 'node:dns';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { upTo } from '../shared/runtime/lru.ts';
import type { Runtime, Timer } from '../shared/runtime/runtime.ts';
import { ConnectionLimiter } from './connection-limiter.ts';
import { askNameServers } from './dns-client.ts';
import { recordTypes } from './dns-message.ts';
import { NameNotFoundError } from './errors.ts';
import { candidatesOf, parseHosts, parseResolvConf, WatchedFile } from './resolver-files.ts';

/** The maximum number of simultaneous look-ups for one account, and for all. */
const limits = { perAccount: 16, total: 256 };
/** The limit for one look-up. It is shorter than that of the guard, so that a name with an answer for one family is found. */
const lookUpMs = 4_500;
/** The time that the answer for one family waits for the other one, which some name servers never send. */
const otherFamilyMs = 2_000;
const maxKeptMs = 30_000;
const failureKeptMs = 5_000;
const maxKeptNames = 1_000;
const loopback = ['127.0.0.1', '::1'];

interface Found {
  address: string;
  /** In seconds. */
  ttl: number;
}

/** The result of a look-up that runs or has ended. */
interface Result {
  readonly addresses: Promise<readonly Found[]>;
  /** `null` while the look-up runs. */
  endedAt: number | null;
  keptMs: number;
}

export interface NameResolverOptions {
  runtime: Runtime;
  hostsPath?: string;
  resolvConfPath?: string;
}

/**
 * Resolves names that callers choose: first with the hosts file, then with the name servers, search domains and `ndots` of `resolv.conf`.
 * The look-ups use sockets of the event loop. `dns.lookup` would occupy a thread of libuv's pool until the name servers of the name answer,
 * and there are four threads for all files and look-ups of the process. `dns.Resolver` reads whole responses, and takes 30 to 80 ms for one with
 * 4,000 addresses.
 *
 * Simultaneous look-ups are limited per account and in total, and counted until their sockets are closed. Waiting accounts take turns.
 * Accounts share running look-ups and cached results. A result is cached for its TTL, at most 30 s, and a failure for 5 s. A queued look-up
 * is not shared, so no account waits for another account's limit.
 */
export class NameResolver {
  readonly #runtime: Runtime;
  readonly #hosts: WatchedFile<ReturnType<typeof parseHosts>>;
  readonly #resolvConf: WatchedFile<ReturnType<typeof parseResolvConf>>;
  /** The account is also the host, and may use half of the slots of a host. */
  readonly #limiter = new ConnectionLimiter({ perHost: 2 * limits.perAccount, total: limits.total });
  readonly #results = new LRUCache<string, Result>(upTo(maxKeptNames));

  constructor({ runtime, hostsPath = '/etc/hosts', resolvConfPath = '/etc/resolv.conf' }: NameResolverOptions) {
    this.#runtime = runtime;
    this.#hosts = new WatchedFile(hostsPath, parseHosts, runtime);
    this.#resolvConf = new WatchedFile(resolvConfPath, parseResolvConf, runtime);
  }

  /**
   * Returns the addresses of a name in lower case, IPv4 first, because some systems prefer IPv6 although they cannot reach it. An abort ends
   * waiting for a slot. Rejects with `NameNotFoundError` or the reason of the abort.
   */
  async resolve(
    name: string,
    { account, signal }: { account: string; signal: AbortSignal },
  ): Promise<readonly { address: string }[]> {
    const bare = name.replace(/\.$/, '');
    // Name servers are never asked for localhost (RFC 6761, section 6.3).
    const local = this.#hosts.read().get(bare) ?? (/^(.+\.)?localhost$/.test(bare) ? loopback : null);
    if (local) return local.toSorted((one, other) => isIP(one) - isIP(other)).map((address) => ({ address }));
    return await (this.#known(name) ?? this.#queue(name, account, signal));
  }

  #known(name: string): Result['addresses'] | undefined {
    const result = this.#results.get(name);
    if (!result) return undefined;
    const age = result.endedAt === null ? 0 : this.#runtime.now() - result.endedAt;
    // The age is negative if the clock was set back.
    return result.endedAt === null || (age >= 0 && age < result.keptMs) ? result.addresses : undefined;
  }

  #queue(name: string, account: string, signal: AbortSignal): Result['addresses'] {
    return new Promise((resolve, reject) => {
      const begin = (leave: () => void) => {
        // Another look-up of the name may have begun meanwhile.
        const known = this.#known(name);
        resolve(known ?? this.#start(name, leave));
        if (known) leave();
      };
      this.#limiter.enter({ account, host: account }, signal, begin, reject);
    });
  }

  #start(name: string, leave: () => void): Result['addresses'] {
    const result: Result = { addresses: this.#lookUp(name), endedAt: null, keptMs: failureKeptMs };
    this.#results.set(name, result);
    const ended = () => {
      result.endedAt = this.#runtime.now();
      leave();
    };
    result.addresses.then((found) => {
      result.keptMs = Math.min(maxKeptMs, ...found.map(({ ttl }) => ttl * 1_000));
      ended();
    }, ended);
    return result.addresses;
  }

  async #lookUp(name: string): Promise<readonly Found[]> {
    const resolvConf = this.#resolvConf.read();
    let ending = new AbortController();
    let isLate = false;
    const timer = this.#runtime.after(lookUpMs, () => {
      isLate = true;
      ending.abort();
    });
    try {
      for (const candidate of candidatesOf(name, resolvConf)) {
        ending = new AbortController();
        const found = await this.#askBothFamilies(candidate, resolvConf.servers, ending);
        if (found.length > 0) return found;
        if (isLate) throw new NameNotFoundError('does not resolve in time');
      }
      throw new NameNotFoundError('does not resolve');
    } finally {
      timer.cancel();
    }
  }

  async #askBothFamilies(name: string, given: readonly string[], ending: AbortController): Promise<readonly Found[]> {
    const runtime = this.#runtime;
    const { signal } = ending;
    // Without name servers in the file, Node knows those of the system.
    const servers = given.length > 0 ? given : getServers();
    let timer: Timer | undefined;
    const answers = [recordTypes.ipv4, recordTypes.ipv6].map(async (type) => {
      const { addresses, ttl } = await askNameServers(name, type, { servers, runtime, signal });
      if (addresses.length > 0) timer ??= runtime.after(otherFamilyMs, () => ending.abort());
      return addresses.map((address) => ({ address, ttl }));
    });
    const settled = await Promise.allSettled(answers);
    timer?.cancel();
    return settled.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  }
}
