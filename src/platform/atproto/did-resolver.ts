import { LRUCache } from 'lru-cache';
import type { ProxyTarget } from '../../outbound/proxy-pool.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { parseUrl } from '../../shared/model/parse-url.ts';
import { type PlatformAnswer, smallLimits } from '../http/answer.ts';
import type { Transport, TransportRequest } from '../http/transport.ts';
import type { PlatformCall } from '../port.ts';
import { type IdentityHistory, readAuditLog } from './audit-log.ts';
import { rejectedToken } from './problems.ts';

const cachedMs = 5 * 60_000;
const maxCached = 10_000;
/**
 * The maximum length of a server's URL, because URLs are cached before they are used. A host name has at most 253
 * characters.
 */
const maxEndpoint = 300;
/** The limits of an audit log. An operation has at most 7,500 bytes. */
const logLimits = { bytes: 1024 * 1024, values: 50_000 };

const plcPattern = /^did:plc:[a-z2-7]{24}$/;

/** The server of an account, and the time when its DID document was read. */
interface Resolved {
  target: ProxyTarget;
  atMs: number;
}

export interface DidResolverOptions {
  transport: Transport;
  /** The origin of the PLC directory. */
  plcUrl: string;
  /** The server that the operator configured. The outbound guard does not check its address. */
  service: ProxyTarget;
  now: () => number;
}

/** Finds the personal data server (PDS) of an account in its DID document: https://atproto.com/specs/did */
export class DidResolver {
  readonly #options: DidResolverOptions;
  readonly #cache = new LRUCache<string, Resolved>({ max: maxCached });

  constructor(options: DidResolverOptions) {
    this.#options = options;
  }

  /**
   * Returns the server of an account. The DID document may have been read `maxAgeMs` ago. Throws `forbidden` if the DID
   * does not exist or has no server with TLS.
   */
  async pdsOf(did: string, call: PlatformCall, maxAgeMs = cachedMs): Promise<ProxyTarget> {
    const { service, now } = this.#options;
    const known = this.#cache.get(did);
    if (known && now() - known.atMs < maxAgeMs) return known.target;
    const origin = readPds(await this.#document(did, call));
    // Tokens must not be sent without TLS, except in a network that the operator runs without it.
    const isSafe = origin?.startsWith('https:') || service.origin.startsWith('http:');
    if (origin === null || !isSafe) throw rejectedToken();
    // The address comes from a document that the account controls, so it passes the outbound guard.
    const target: ProxyTarget = origin === service.origin ? service : { origin, chosenBy: 'caller' };
    // Without TLS, the caller's own proxy could have answered, and other callers would send their tokens to this server.
    const isGenuine = call.proxy === null || this.#addressOf(did).target.origin.startsWith('https:');
    if (isGenuine) this.#cache.set(did, { target, atMs: now() });
    return target;
  }

  /** Returns the history of an identity, or `null` if it has none, because only the directory of `did:plc` keeps one. */
  async historyOf(did: string, call: PlatformCall): Promise<IdentityHistory | null> {
    if (!plcPattern.test(did)) return null;
    const { target, path } = this.#addressOf(did);
    const request = { operation: 'readAuditLog', target, path: `${path}/log/audit`, limits: logLimits };
    return this.#get(request, call, async (answer) => {
      if (answer.status !== 200) throw directoryFailed(answer.status);
      return readAuditLog(await answer.json());
    });
  }

  #document(did: string, call: PlatformCall): Promise<unknown> {
    const request = { operation: 'resolveDid', ...this.#addressOf(did), limits: smallLimits };
    return this.#get(request, call, (answer) => {
      const { status } = answer;
      if (status === 404 || status === 410) throw rejectedToken();
      if (status !== 200) throw directoryFailed(status);
      return answer.json();
    });
  }

  #get<T>(
    request: Pick<TransportRequest, 'operation' | 'target' | 'path' | 'limits'>,
    call: PlatformCall,
    read: (answer: PlatformAnswer) => Promise<T>,
  ): Promise<T> {
    const headers = { accept: 'application/json' };
    return this.#options.transport.send({ ...request, method: 'GET', headers }, call, read);
  }

  #addressOf(did: string): { target: ProxyTarget; path: string } {
    if (plcPattern.test(did)) {
      return { target: { origin: new URL(this.#options.plcUrl).origin, chosenBy: 'operator' }, path: `/${did}` };
    }
    const host = /^did:web:([a-zA-Z0-9.-]{1,253})$/.exec(did)?.[1];
    if (host === undefined) throw rejectedToken();
    return { target: { origin: `https://${host}`, chosenBy: 'caller' }, path: '/.well-known/did.json' };
  }
}

function directoryFailed(status: number): PosternError {
  return new PosternError('platform_failed', `The DID directory failed with status ${status}`);
}

function readPds(document: unknown): string | null {
  const services = (document as { service?: unknown } | null)?.service;
  if (!Array.isArray(services)) return null;
  for (const service of services as readonly Record<string, unknown>[]) {
    const { id, type, serviceEndpoint: endpoint } = service ?? {};
    if (typeof id !== 'string' || !id.endsWith('#atproto_pds') || type !== 'AtprotoPersonalDataServer') continue;
    if (typeof endpoint !== 'string' || endpoint.length > maxEndpoint) return null;
    const url = parseUrl(endpoint);
    return url && /^https?:$/.test(url.protocol) ? url.origin : null;
  }
  return null;
}
