import { PosternError } from '../shared/errors/postern-error.ts';
import { type Runtime, withTimeout } from '../shared/runtime/runtime.ts';
import {
  type Address,
  canonicalHost,
  isInside,
  isLocalName,
  parseAddress,
  parseBlock,
  specialKind,
} from './address.ts';
import { AddressRefusedError, NameNotFoundError } from './errors.ts';
import { NameResolver } from './name-resolver.ts';
import { readUrl, UrlFormError } from './url-form.ts';

/**
 * Resolves a name to all its addresses, in order of preference. Rejects if there are none. `account` is the API account of the request.
 * `signal` is aborted when nobody waits for the result any more.
 */
export type Resolve = (
  name: string,
  options: { account: string; signal: AbortSignal },
) => Promise<readonly { address: string }[]>;

export interface GuardOptions {
  /** CIDR blocks that callers may reach in addition to public addresses. */
  allow?: readonly string[];
  runtime: Runtime;
  resolve?: Resolve;
  /** The time limit for resolving a name, in milliseconds. */
  resolveTimeoutMs?: number;
}

/**
 * An address that was checked. Connections must use it without another look-up, which could return a different address.
 */
export interface PinnedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface UrlRules {
  /** The name of the input field, for error messages. */
  field: string;
  /** The accepted schemes, without the colon. */
  schemes: readonly string[];
}

/**
 * Checks the hosts that callers choose, such as proxies, media URLs and webhook receivers. Only public addresses are
 * allowed, and the blocks in `OUTBOUND_ALLOW`.
 */
export class OutboundGuard {
  readonly #allow: readonly ReturnType<typeof parseBlock>[];
  readonly #resolve: Resolve;
  readonly runtime: Runtime;
  readonly #resolveTimeoutMs: number;

  constructor({ allow = [], runtime, resolve, resolveTimeoutMs = 5_000 }: GuardOptions) {
    const names = new NameResolver({ runtime });
    this.#allow = allow.map(parseBlock);
    this.#resolve = resolve ?? ((name, options) => names.resolve(name, options));
    this.runtime = runtime;
    this.#resolveTimeoutMs = resolveTimeoutMs;
  }

  /**
   * Parses a URL that a caller chose. Checks its form and, if the host is an IP address, the address. Host names are
   * checked later, so requests must use `guardedConnector`. Throws `bad_input`.
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

  /** Like `checkUrl`, but throws `UrlFormError` or `AddressRefusedError`. */
  readUrl(text: string, schemes: readonly string[]): URL {
    const url = readUrl(text, schemes);
    if (url.username || url.password || /^[^/]*:\/\/[^/?#]*@/.test(text)) {
      throw new UrlFormError('must not carry a user name or password');
    }
    this.checkHost(url.hostname);
    return url;
  }

  /**
   * Throws `AddressRefusedError` if the host is an IP address that is not allowed, or a local name such as `localhost` although no private
   * address is allowed (`OUTBOUND_ALLOW`). The addresses of other names are checked by `resolve`.
   */
  checkHost(host: string): void {
    const canonical = canonicalHost(host);
    if (canonical === null) throw new AddressRefusedError('must name a host');
    const address = parseAddress(canonical);
    if (address) this.#checkLiteral(address);
    else if (isLocalName(canonical) && this.#allow.length === 0) throw refusedNameError();
  }

  /**
   * Resolves a host and checks all its addresses. Returns at least one, in the order in which to try connections. A
   * name with both public and private addresses is refused. `account` is the API account of the request. Throws
   * `AddressRefusedError` or `NameNotFoundError`.
   */
  async resolve(host: string, account: string): Promise<[PinnedAddress, ...PinnedAddress[]]> {
    this.checkHost(host);
    const canonical = canonicalHost(host) ?? '';
    const literal = parseAddress(canonical);
    if (literal) return [pin(literal)];
    const addresses = (await this.#lookUp(canonical, account)).map(({ address }) => parseAddress(address));
    // A resolver may return public addresses for a local name. They are not allowed, because a local name must not
    // bypass the check of literals.
    const passes = isLocalName(canonical) ? this.#isOpened : this.#isAllowed;
    const passed = addresses.flatMap((address) => (address && passes.call(this, address) ? [pin(address)] : []));
    if (passed.length < addresses.length) throw refusedNameError();
    const [first, ...others] = alternateFamilies(passed);
    if (!first) throw new NameNotFoundError('does not resolve');
    return [first, ...others];
  }

  #lookUp(name: string, account: string): Promise<readonly { address: string }[]> {
    const ending = new AbortController();
    const addresses = this.#resolve(name, { account, signal: ending.signal }).catch((cause) => {
      throw cause instanceof NameNotFoundError ? cause : new NameNotFoundError('does not resolve', { cause });
    });
    return withTimeout(this.runtime, addresses, this.#resolveTimeoutMs, () => {
      ending.abort();
      return new NameNotFoundError('does not resolve in time');
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

/** Alternates the address families, beginning with the family of the first address (RFC 8305, section 4). */
function alternateFamilies(addresses: readonly PinnedAddress[]): PinnedAddress[] {
  const first = addresses.filter(({ family }) => family === addresses[0]?.family);
  const second = addresses.filter(({ family }) => family !== addresses[0]?.family);
  const longest = Math.max(first.length, second.length);
  return Array.from({ length: longest }, (_, at) => [first[at], second[at]])
    .flat()
    .filter((address) => address !== undefined);
}

/**
 * Returns an error that does not name the address or its range, because that would reveal details of the internal
 * network.
 */
function refusedNameError(): AddressRefusedError {
  return new AddressRefusedError('must not lead to an address that is not public');
}
