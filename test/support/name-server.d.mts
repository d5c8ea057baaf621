export interface NameAnswer {
  /** IPv4 and IPv6 addresses. Each question gets those of its type. */
  addresses?: readonly string[];
  /** In seconds; 60 by default. */
  ttl?: number;
  /** The response code (RFC 1035, section 4.1.1): 2 is SERVFAIL, 3 is NXDOMAIN. */
  code?: number;
}

export interface NameServer {
  /** The host and port. */
  readonly address: string;
  /** The questions, as name and type. A repeated question is there again. */
  readonly asked: readonly string[];
  stop(): void;
}

/** `answer` returns `null` for no response, and bytes for a whole response of its own. */
export function startNameServer(
  answer: (name: string, type: 'A' | 'AAAA' | 'other') => NameAnswer | Buffer | null,
  options?: { port?: number },
): Promise<NameServer>;
