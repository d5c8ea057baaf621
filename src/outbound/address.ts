import ipaddr from 'ipaddr.js';
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
 * A host as the WHATWG URL parser reads it, without the brackets of IPv6: `127.1`, `0x7f.1`, `2130706433` and
 * full-width digits all become `127.0.0.1`. `null` where it is no host.
 */
export function canonicalHost(host: string): string | null {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (bare === '' || /[\p{Cc}\p{Z}/?#@\\[\]]/u.test(bare)) return null;
  const url = `http://${bare.includes(':') ? `[${bare}]` : bare}/`;
  if (!URL.canParse(url)) return null;
  const { hostname } = new URL(url);
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/**
 * An address in its usual notation; `null` for a name. IPv4 inside `::ffff:0:0/96` becomes plain IPv4, which is what
 * the kernel connects to.
 */
export function parseAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Blocks in CIDR notation, as `OUTBOUND_ALLOW` has them. Throws on anything else. */
export function parseBlock(cidr: string): Block {
  return ipaddr.parseCIDR(cidr);
}

export function isInside(address: Address, [network, bits]: Block): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

/** What kind of special address this is, in words; `null` for one of the public internet. */
export function specialKind(address: Address): string | null {
  if (address instanceof ipaddr.IPv4) return findKind(address, ipv4Ranges) ?? unlessUnicast(address);
  const kind = findKind(address, ipv6Ranges);
  if (kind !== null) return kind;
  // DNS64 gives such addresses to hosts that have no IPv4 of their own (RFC 6147), so public ones must pass.
  if (isInside(address, nat64)) return specialKind(embeddedIpv4(address));
  if (!isInside(address, globalUnicast)) return 'reserved';
  if (isIsatap(address)) return specialKind(embeddedIpv4(address));
  return unlessUnicast(address);
}

/** True for `localhost` and what lies below it, and the other names that mean this machine or its network. */
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

/** The library's own opinion, for what a newer version of it may know beyond our tables. */
function unlessUnicast(address: Address): string | null {
  return address.range() === 'unicast' ? null : 'special';
}

function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

/** RFC 5214 section 6.1: the interface identifier `[02]00:5efe` and an IPv4 address to tunnel to. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;
}
