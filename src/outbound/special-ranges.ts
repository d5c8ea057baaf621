/** A block of addresses that callers may not reach: its CIDR notation and its name for messages. */
export type SpecialRange = readonly [cidr: string, kind: string];

/**
 * The IANA IPv4 Special-Purpose Address Registry (RFC 6890), the IPv4 Multicast Address Space Registry, and the
 * metadata addresses of cloud providers. Globally reachable entries are included, because they are relays and sinks and
 * no web servers.
 */
export const ipv4SpecialRanges: readonly SpecialRange[] = [
  ['169.254.169.254/32', 'cloud metadata'], // AWS, Azure, Google Cloud and others
  ['168.63.129.16/32', 'cloud metadata'], // Azure's WireServer, in the middle of public space
  ['100.100.100.200/32', 'cloud metadata'], // Alibaba Cloud
  ['192.0.0.192/32', 'cloud metadata'], // Oracle Cloud
  ['0.0.0.0/8', 'this-host'], // RFC 791 section 3.2; Linux connects 0.0.0.0 to itself
  ['10.0.0.0/8', 'private'], // RFC 1918
  ['100.64.0.0/10', 'shared (carrier-grade NAT)'], // RFC 6598
  ['127.0.0.0/8', 'loopback'], // RFC 1122 section 3.2.1.3
  ['169.254.0.0/16', 'link-local'], // RFC 3927
  ['172.16.0.0/12', 'private'], // RFC 1918
  ['192.0.0.0/24', 'protocol-assignment'], // RFC 6890 section 2.1
  ['192.0.2.0/24', 'documentation'], // RFC 5737, TEST-NET-1
  ['192.31.196.0/24', 'AS112 sink'], // RFC 7535
  ['192.52.193.0/24', 'multicast relay'], // RFC 7450, AMT
  ['192.88.99.0/24', '6to4 relay'], // RFC 7526
  ['192.168.0.0/16', 'private'], // RFC 1918
  ['192.175.48.0/24', 'AS112 sink'], // RFC 7534
  ['198.18.0.0/15', 'benchmarking'], // RFC 2544
  ['198.51.100.0/24', 'documentation'], // RFC 5737, TEST-NET-2
  ['203.0.113.0/24', 'documentation'], // RFC 5737, TEST-NET-3
  ['224.0.0.0/4', 'multicast'], // RFC 5771
  ['255.255.255.255/32', 'broadcast'], // RFC 919
  ['240.0.0.0/4', 'reserved'], // RFC 1112 section 4
];

/**
 * The IANA IPv6 Special-Purpose Address Registry (RFC 6890) and the metadata addresses of cloud providers.
 * `::ffff:0:0/96` and `64:ff9b::/96` are left out, because such addresses are checked by the IPv4 address that they
 * contain.
 */
export const ipv6SpecialRanges: readonly SpecialRange[] = [
  ['fd00:ec2::254/128', 'cloud metadata'], // AWS
  ['fd20:ce::254/128', 'cloud metadata'], // Google Cloud
  ['::1/128', 'loopback'], // RFC 4291 section 2.5.3
  ['::/128', 'unspecified'], // RFC 4291 section 2.5.2
  ['::/96', 'IPv4-compatible'], // RFC 4291 section 2.5.5.1, deprecated
  ['::ffff:0:0:0/96', 'IPv4-translated'], // RFC 2765 section 2.1
  ['64:ff9b:1::/48', 'local NAT64'], // RFC 8215
  ['100::/64', 'discard'], // RFC 6666
  ['100:0:0:1::/64', 'dummy'], // RFC 9780
  ['2001::/32', 'Teredo'], // RFC 4380; carries an IPv4 address, and relays to it
  ['2001:2::/48', 'benchmarking'], // RFC 5180
  ['2001:10::/28', 'ORCHID'], // RFC 4843, deprecated
  ['2001:20::/28', 'ORCHID'], // RFC 7343
  ['2001::/23', 'protocol-assignment'], // RFC 2928
  ['2001:db8::/32', 'documentation'], // RFC 3849
  ['2002::/16', '6to4'], // RFC 3056, deprecated by RFC 7526; carries an IPv4 address, and relays to it
  ['2620:4f:8000::/48', 'AS112 sink'], // RFC 7534
  ['3fff::/20', 'documentation'], // RFC 9637
  ['5f00::/16', 'segment-routing'], // RFC 9602
  ['fc00::/7', 'private (unique local)'], // RFC 4193
  ['fe80::/10', 'link-local'], // RFC 4291 section 2.5.6
  ['fec0::/10', 'private (site-local)'], // RFC 3879, deprecated
  ['ff00::/8', 'multicast'], // RFC 4291 section 2.7
];

/**
 * The block of all global unicast addresses that IANA has allocated so far (RFC 4291, section 2.4; IPv6 Address Space
 * Registry).
 */
export const ipv6GlobalUnicast = '2000::/3';

/** The well-known prefix of NAT64. The last 32 bits of such an address are an IPv4 address (RFC 6052, section 2.1). */
export const nat64Prefix = '64:ff9b::/96';

/** Names that always refer to this machine or its network (RFC 6761, RFC 6762, ICANN's `.internal`). */
export const localNames = ['localhost', 'local', 'internal'] as const;
