/** Returns true for names and addresses that always refer to this machine (RFC 6761 section 6.3, RFC 1122). */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(name);
}

/** Returns true for a `Host` header with a loopback name or address. The header may contain a port. */
export function isLoopbackHostHeader(header: string | undefined): boolean {
  return header !== undefined && isLoopbackHost(header.replace(/:\d{1,5}$/, ''));
}
