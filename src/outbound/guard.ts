import { lookup } from 'node:dns/promises';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import {
  type Address,
  canonicalHost,
  isInside,
  isLocalName,
  parseAddress,
  parseBlock,
  specialKind,
} from './address.ts';
import { AddressRefusedError, NameNotFoundError } from './faults.ts';
import { readUrl, UrlFormError } from './url-form.ts';

/** All addresses of a name, in order of preference. Rejects where it has none. */
export type Resolve = (name: string) => Promise<readonly { address: string }[]>;

export interface GuardOptions {
  /** CIDR blocks that callers may reach besides public addresses. */
  allow?: readonly string[];
  runtime: Runtime;
  resolve?: Resolve;
  /** How long a name may take to resolve. */
  resolveTimeoutMs?: number;
}

/** A checked address: what is connected to is this, and nothing that a second look-up may say. */
export interface PinnedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface UrlRules {
  /** For the message. */
  field: string;
  /** Without the colon. */
  schemes: readonly string[];
}

// The system's own order would put IPv6 first on hosts that cannot reach it; one address is pinned, so it must work.
const systemResolve: Resolve = (name) => lookup(name, { all: true, order: 'ipv4first' });

/**
 * Decides what addresses of the caller's choice (proxies, and what is fetched or called for them) may be reached:
 * those of the public internet, and what the operator opened with `OUTBOUND_ALLOW`.
 */
export class OutboundGuard {
  readonly #allow: readonly ReturnType<typeof parseBlock>[];
  readonly #resolve: Resolve;
  readonly #runtime: Runtime;
  readonly #resolveTimeoutMs: number;

  constructor({ allow = [], runtime, resolve = systemResolve, resolveTimeoutMs = 5_000 }: GuardOptions) {
    this.#allow = allow.map(parseBlock);
    this.#resolve = resolve;
    this.#runtime = runtime;
    this.#resolveTimeoutMs = resolveTimeoutMs;
  }

  /**
   * The URL of a target that a caller names, checked as far as that goes without a look-up: its form, and its host
   * where that is an address. Throws `bad_input`. The connection must still go through a guarded connector.
   */
  checkUrl(text: string, { field, schemes }: UrlRules): URL {
    try {
      return this.readUrl(text, schemes);
    } catch (error) {
      if (!(error instanceof UrlFormError) && !(error instanceof AddressRefusedError)) throw error;
      const reason = error instanceof AddressRefusedError ? 'address_refused' : 'malformed_field';
      throw new PosternError(reason, `Malformed field: ${field}: ${error.message}`);
    }
  }

  /** See `checkUrl`. Throws `UrlFormError` or `AddressRefusedError`. */
  readUrl(text: string, schemes: readonly string[]): URL {
    const url = readUrl(text, schemes);
    if (url.username || url.password || /^[^/]*:\/\/[^/?#]*@/.test(text)) {
      throw new UrlFormError('must not carry a user name or password');
    }
    this.checkHost(url.hostname);
    return url;
  }

  /** Throws `AddressRefusedError` where the host is an address that is refused, or a name that can lead to no other. */
  checkHost(host: string): void {
    const canonical = canonicalHost(host);
    if (canonical === null) throw new AddressRefusedError('must name a host');
    const address = parseAddress(canonical);
    if (address) this.#checkLiteral(address);
    else if (isLocalName(canonical) && this.#allow.length === 0) throw refusedName();
  }

  /**
   * One address of a host, after every address that it has was found to be allowed: a name with one private address
   * among public ones is refused. Throws `AddressRefusedError` or `NameNotFoundError`.
   */
  async resolve(host: string): Promise<PinnedAddress> {
    this.checkHost(host);
    const canonical = canonicalHost(host) ?? '';
    const literal = parseAddress(canonical);
    if (literal) return pin(literal);
    const addresses = (await this.#lookUp(canonical)).map(({ address }) => parseAddress(address));
    // A local name is no way around the check of literals, even where some resolver gives it a public address.
    const passes = isLocalName(canonical) ? this.#isOpened : this.#isAllowed;
    const passed = addresses.filter((address) => address !== null && passes.call(this, address));
    if (passed.length < addresses.length) throw refusedName();
    const [first] = passed;
    if (!first) throw new NameNotFoundError('does not resolve');
    return pin(first);
  }

  #lookUp(name: string): Promise<readonly { address: string }[]> {
    return new Promise((resolve, reject) => {
      const late = () => reject(new NameNotFoundError('does not resolve in time'));
      const timer = this.#runtime.after(this.#resolveTimeoutMs, late);
      this.#resolve(name)
        .then(resolve, (cause) => reject(new NameNotFoundError('does not resolve', { cause })))
        .finally(() => timer.cancel());
    });
  }

  #checkLiteral(address: Address): void {
    if (this.#isAllowed(address)) return;
    throw new AddressRefusedError(`must not lead to a ${specialKind(address)} address`);
  }

  #isAllowed(address: Address): boolean {
    return specialKind(address) === null || this.#isOpened(address);
  }

  #isOpened(address: Address): boolean {
    return this.#allow.some((block) => isInside(address, block));
  }
}

function pin(address: Address): PinnedAddress {
  return { address: address.toString(), family: address.kind() === 'ipv4' ? 4 : 6 };
}

/** Which of its addresses, and what kind it is of, would tell a stranger about the network in here. */
function refusedName(): AddressRefusedError {
  return new AddressRefusedError('must not lead to an address that is not public');
}
