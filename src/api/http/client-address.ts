import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Finds the address of a request's client behind the reverse proxies that the operator trusts. */
export class ClientAddresses {
  readonly #trusted: readonly [Address, number][];

  /** CIDR blocks of reverse proxies. */
  constructor(trustedProxies: readonly string[]) {
    this.#trusted = trustedProxies.map((block) => ipaddr.parseCIDR(block));
  }

  /**
   * Returns the network that a client is counted by: its IPv4 address, or the /64 of its IPv6 address, because one customer usually
   * has a whole /64. `X-Forwarded-For` is read from the right while the address is a trusted proxy. Entries further left were
   * written by the client itself.
   */
  networkOf({ socket, headers }: IncomingMessage): string {
    let client = parse(socket.remoteAddress ?? '');
    if (client === null) return 'unknown';
    const hops = String(headers['x-forwarded-for'] ?? '').split(',');
    while (this.#isTrusted(client)) {
      const hop = parse(hops.pop() ?? '');
      if (hop === null) break;
      client = hop;
    }
    return client instanceof ipaddr.IPv6 ? `${client.parts.slice(0, 4).map(hex).join(':')}::/64` : client.toString();
  }

  #isTrusted(address: Address): boolean {
    return this.#trusted.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  }
}

/** IPv4-mapped IPv6 is read as IPv4. Some proxies append the port. */
function parse(text: string): Address | null {
  const address = text
    .trim()
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1');
  const isAddress = ipaddr.IPv6.isValid(address) || ipaddr.IPv4.isValidFourPartDecimal(address);
  return isAddress ? ipaddr.process(address) : null;
}

const hex = (part: number) => part.toString(16);
