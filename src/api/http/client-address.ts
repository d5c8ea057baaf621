import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { type IpAddress, type IpRange, isInRange, parseIpAddress } from '../../shared/model/ip-range.ts';

/** Determines the address of a client that connects through trusted reverse proxies. */
export class ClientAddresses {
  readonly #trusted: readonly IpRange[];

  /** `trustedProxies` contains CIDR blocks. */
  constructor(trustedProxies: readonly string[]) {
    this.#trusted = trustedProxies.map((block) => ipaddr.parseCIDR(block));
  }

  /**
   * Returns the address of the client. `X-Forwarded-For` is read from the right while the address belongs to a trusted proxy. Entries
   * further to the left are not trusted, because the client can forge them. Returns `null` if the connection is already closed.
   */
  addressOf({ socket, headers }: IncomingMessage): IpAddress | null {
    let client = parse(socket.remoteAddress ?? '');
    if (client === null) return null;
    const hops = String(headers['x-forwarded-for'] ?? '').split(',');
    while (this.#isTrusted(client)) {
      const hop = parse(hops.pop() ?? '');
      if (hop === null) break;
      client = hop;
    }
    return client;
  }

  /**
   * Returns the network that a client is counted by. This is its IPv4 address, or the /64 prefix of its IPv6 address, because one customer
   * usually has a whole /64.
   */
  networkOf(request: IncomingMessage): string {
    const client = this.addressOf(request);
    if (client === null) return 'unknown';
    return client instanceof ipaddr.IPv6 ? `${client.parts.slice(0, 4).map(hex).join(':')}::/64` : client.toString();
  }

  #isTrusted(address: IpAddress): boolean {
    return this.#trusted.some((range) => isInRange(address, range));
  }
}

/** Parses an address and removes the port that some proxies append. */
function parse(text: string): IpAddress | null {
  const address = text
    .trim()
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1');
  return parseIpAddress(address);
}

const hex = (part: number) => part.toString(16);
