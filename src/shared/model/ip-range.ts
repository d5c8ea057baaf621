import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** A set of addresses: a network and the length of its prefix. */
export type IpRange = readonly [network: IpAddress, bits: number];

/** Returns the reason why a text is not a CIDR block, or `null` if it is one. */
export function cidrProblem(block: string): string | null {
  const family = block.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4;
  const isBlock = family === ipaddr.IPv6 ? family.isValidCIDR(block) : ipaddr.IPv4.isValidCIDRFourPartDecimal(block);
  if (!isBlock) return `${JSON.stringify(block)} is none`;
  const [address, bits] = ipaddr.parseCIDR(block);
  const network = family.networkAddressFromCIDR(block).toString();
  // A block such as 10.1.2.3/8 is refused, because it would allow 16 million addresses when its author probably meant one.
  return address.toString() === network ? null : `${block} has bits beyond its prefix; the block is ${network}/${bits}`;
}

/** Parses one address. Converts IPv4-mapped IPv6 addresses to IPv4. Returns `null` if the text is not an address. */
export function parseIpAddress(text: string): IpAddress | null {
  const isAddress = ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text);
  return isAddress ? ipaddr.process(text) : null;
}

/** Parses a CIDR block or a single address. Returns `null` for any other text, and for blocks of IPv4-mapped IPv6 addresses. */
export function parseIpRange(text: string): IpRange | null {
  const address = parseIpAddress(text);
  if (address) return [address, address instanceof ipaddr.IPv6 ? 128 : 32];
  if (cidrProblem(text) !== null) return null;
  const range = ipaddr.parseCIDR(text);
  return range[0] instanceof ipaddr.IPv6 && range[0].isIPv4MappedAddress() ? null : range;
}

export function isInRange(address: IpAddress, [network, bits]: IpRange): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}
