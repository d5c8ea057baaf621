/** True for the names and addresses by which only this machine can be meant (RFC 6761 section 6.3, RFC 1122). */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(name);
}

/** The same for a `Host` header, which may carry a port. */
export function isLoopbackHostHeader(header: string | undefined): boolean {
  return header !== undefined && isLoopbackHost(header.replace(/:\d{1,5}$/, ''));
}
