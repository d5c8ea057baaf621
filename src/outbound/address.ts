import ipaddr from 'ipaddr.js';
import { parseUrl } from '../shared/model/parse-url.ts';
import {
  ipv4SpecialRanges,
  ipv6GlobalUnicast,
  ipv6SpecialRanges,
  localNames,
  nat64Prefix,
  type SpecialRange,
} from './special-ranges.ts';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Block = [Address, number];

/**
 * Normalizes a host with the WHATWG URL parser, which turns `127.1`, `0x7f.1`, `2130706433` and full-width digits into
 * `127.0.0.1`. Brackets around IPv6 are removed. Returns `null` if the host is not valid.
 */
export function canonicalHost(host: string): string | null {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (bare === '' || /[\p{Cc}\p{Z}/?#@\\[\]]/u.test(bare)) return null;
  const hostname = parseUrl(`http://${bare.includes(':') ? `[${bare}]` : bare}/`)?.hostname;
  if (hostname === undefined) return null;
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/**
 * Parses an IP address. Returns `null` for a host name. An address in `::ffff:0:0/96` is converted to IPv4, because the
 * operating system connects to the IPv4 address.
 */
export function parseAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Parses a block in CIDR notation, the form of `OUTBOUND_ALLOW`. Throws if it is not valid. */
export function parseBlock(cidr: string): Block {
  return ipaddr.parseCIDR(cidr);
}

export function isInside(address: Address, [network, bits]: Block): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

/** Returns a description of the special-purpose range that contains the address. `null` for a public address. */
export function specialKind(address: Address): string | null {
  if (address instanceof ipaddr.IPv4) return findKind(address, ipv4Ranges) ?? rangeOfLibrary(address);
  const kind = findKind(address, ipv6Ranges);
  if (kind !== null) return kind;
  // Hosts without IPv4 get such addresses from DNS64 (RFC 6147), so the embedded IPv4 address decides.
  if (isInside(address, nat64)) return specialKind(embeddedIpv4(address));
  if (!isInside(address, globalUnicast)) return 'reserved';
  if (isIsatap(address)) return specialKind(embeddedIpv4(address));
  return rangeOfLibrary(address);
}

/** Returns true for `localhost`, its subdomains, and other names that refer to this machine or its network. */
export function isLocalName(name: string): boolean {
  const bare = name.toLowerCase().replace(/\.$/, '');
  return localNames.some((local) => bare === local || bare.endsWith(`.${local}`));
}

const parseRanges = (ranges: readonly SpecialRange[]) =>
  ranges.map(([cidr, kind]) => ({ block: parseBlock(cidr), kind }));
const ipv4Ranges = parseRanges(ipv4SpecialRanges);
const ipv6Ranges = parseRanges(ipv6SpecialRanges);
const globalUnicast = parseBlock(ipv6GlobalUnicast);
const nat64 = parseBlock(nat64Prefix);

function findKind(address: Address, ranges: ReturnType<typeof parseRanges>): string | null {
  return ranges.find(({ block }) => isInside(address, block))?.kind ?? null;
}

/**
 * Returns the range of an address according to the library, which may know ranges that our tables lack. `null` for
 * unicast.
 */
function rangeOfLibrary(address: Address): string | null {
  return address.range() === 'unicast' ? null : 'special';
}

function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

/**
 * Returns true for an ISATAP address (RFC 5214, section 6.1), whose interface identifier is `[02]00:5efe` and an IPv4
 * address to tunnel to.
 */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;
}
